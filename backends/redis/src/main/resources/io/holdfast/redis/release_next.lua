-- The usual case of release when others wait: after an exclusive hold the first in the queue gets another, if it is alive.
-- Stands before the prologue, so that what that defines costs nothing here. KEYS and ARGV: see release.lua
-- To take the head out was the first write: from there on the script may write though memory is full.
if head then
  local holder, channel, lease, passes, purpose = string.match(head, '^(%S+) (%S+) (%d+) (%d+) exclusive(.*)$')
  local sharded = holder and string.sub(channel, 1, 1) == '{'
  if holder and tonumber(redis.call('ZSCORE', KEYS[4], head) or '0') > ms
      and redis.call('PUBSUB', sharded and 'SHARDNUMSUB' or 'NUMSUB', channel)[2] > 0 then
    local DAY = 86400000
    local now = time[1] .. string.sub('00000' .. time[2], -6) -- The digits of us: see acquire_free.lua
    local first, last = now, passes == '0' and now or string.format('%.0f', us + passes)
    local before = redis.pcall('SET', KEYS[2], first .. ' ' .. last .. ' ' .. holder .. purpose,
                               'PX', lease + DAY, 'GET')
    if type(before) ~= 'table' then -- An error: somebody's other value. The release ends the hold before it says so.
      local newest = before and tonumber(string.match(before, '^%d+ (%d+)'))
      if newest and newest >= us then -- Minted in this microsecond, or when the clock was ahead.
        local until_ms = math.max(math.ceil((newest + 1 + passes) / 1000) - ms, lease) + DAY
        first, last = string.format('%.0f', newest + 1), string.format('%.0f', newest + 1 + passes)
        redis.call('SET', KEYS[2], first .. ' ' .. last .. ' ' .. holder .. purpose,
                   'PX', string.format('%.0f', until_ms))
      end
      redis.call('ZREM', KEYS[4], head)
      redis.call('SET', KEYS[1], holder, 'PX', lease)
      local message = 'granted ' .. holder .. ' ' .. first .. ' ' .. last .. ' ' .. now .. ' ' .. KEYS[1]
      if sharded then redis.pcall('SPUBLISH', channel, message) else redis.pcall('PUBLISH', channel, message) end
      return 1
    end
  end
end

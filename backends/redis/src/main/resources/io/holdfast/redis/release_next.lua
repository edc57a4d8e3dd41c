-- The usual case of release when others wait: after an exclusive hold the first in the queue gets another, if it is alive.
-- Stands before the prologue, so that what that defines costs nothing here. KEYS and ARGV: see release.lua
-- To take the head out was the first write: from there on the script may write though memory is full.
if head then
  local holder, channel, lease, passes, purpose = string.match(head, '^(%S+) (%S+) (%d+) (%d+) exclusive(.*)$')
  local sharded = holder and string.sub(channel, 1, 1) == '{'
  -- Of the same client: it is told by the reply, sooner than by a message.
  local ours = holder and string.match(holder, '^.*%-') == string.match(ARGV[1], '^.*%-')
  if holder and tonumber(redis.call('ZSCORE', KEYS[4], head) or '0') > ms
      and (ours or redis.call('PUBSUB', sharded and 'SHARDNUMSUB' or 'NUMSUB', channel)[2] > 0) then
    local first, last = stamp(KEYS[2], holder, lease, passes, purpose)
    if first then -- Otherwise what follows ends the hold before it fails.
      redis.call('ZREM', KEYS[4], head)
      redis.call('SET', KEYS[1], holder, 'PX', lease)
      local message = 'granted ' .. holder .. ' ' .. first .. ' ' .. last .. ' ' .. now .. ' ' .. KEYS[1]
      if ours then return {1, us, 0, message} end
      if sharded then redis.pcall('SPUBLISH', channel, message) else redis.pcall('PUBLISH', channel, message) end
      return 1
    end
  end
end

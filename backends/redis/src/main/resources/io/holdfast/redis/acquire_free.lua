-- The usual case of acquire, in as few calls as there can be: an exclusive lock that is free, and for which nobody waits.
-- Stands before the prologue, so that what that defines costs nothing here. KEYS and ARGV: see acquire.lua
if ms <= tonumber(ARGV[2]) then
  local holder, lease, passes, purpose = string.match(ARGV[1], '^(%S+) %S+ (%d+) (%d+) exclusive(.*)$')
  if holder and redis.call('EXISTS', KEYS[1], KEYS[3]) == 0 then
    local DAY = 86400000
    -- The digits as the server gave them: to format a number costs more than to call a command.
    local first = time[1] .. string.sub('00000' .. time[2], -6)
    local last = passes == '0' and first or string.format('%.0f', us + passes)
    local before = redis.call('SET', KEYS[2], first .. ' ' .. last .. ' ' .. holder .. purpose,
                              'PX', lease + DAY, 'GET') -- The first write: if this is refused, nothing is left.
    local newest = before and tonumber(string.match(before, '^%d+ (%d+)'))
    if not newest or newest < us then
      redis.call('SET', KEYS[1], holder, 'PX', lease)
      return us
    end
    -- Minted in this microsecond, or when the clock was ahead.
    first, last = newest + 1, newest + 1 + passes
    redis.call('SET', KEYS[2], string.format('%.0f %.0f ', first, last) .. holder .. purpose,
               'PX', string.format('%.0f', math.max(math.ceil(last / 1000) - ms, lease) + DAY))
    redis.call('SET', KEYS[1], holder, 'PX', lease)
    return {'GRANTED', us, first, last}
  end
end

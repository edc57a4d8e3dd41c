-- The usual case of acquire, in as few calls as there can be: an exclusive lock that is free, and for which nobody waits.
-- Stands before the prologue, so that what that defines costs nothing here. KEYS and ARGV: see acquire.lua
if ms <= tonumber(ARGV[2]) then
  local holder, lease, passes, purpose = string.match(ARGV[1], '^(%S+) %S+ (%d+) (%d+) exclusive(.*)$')
  if holder and redis.call('EXISTS', KEYS[1], KEYS[3]) == 0 then
    local DAY = 86400000
    local first, last = us, us + passes
    local function write()
      local life = math.max(math.ceil(last / 1000) - ms, lease) + DAY
      return redis.call('SET', KEYS[2], string.format('%.0f %.0f ', first, last) .. holder .. purpose,
                        'PX', string.format('%.0f', life), 'GET')
    end
    local before = write() -- The first write: if this is refused, nothing is left.
    local newest = before and tonumber(string.match(before, '^%d+ (%d+)'))
    if newest and newest >= first then -- Minted in this microsecond, or when the clock was ahead.
      first = newest + 1
      last = first + passes
      write()
    end
    redis.call('SET', KEYS[1], holder, 'PX', lease)
    return {'GRANTED', us, first, last}
  end
end

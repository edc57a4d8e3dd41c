-- The usual case of acquire, in as few calls as there can be: an exclusive lock that is free, and for which nobody waits.
-- Stands before the prologue, so that what that defines costs nothing here. KEYS and ARGV: see acquire.lua
if ms <= tonumber(ARGV[2]) then
  local holder, lease, passes, purpose = string.match(ARGV[1], '^(%S+) %S+ (%d+) (%d+) exclusive(.*)$')
  if holder and redis.call('EXISTS', KEYS[1], KEYS[3]) == 0 then
    local first, last = stamp(KEYS[2], holder, lease, passes, purpose) -- The first write: if refused, nothing is left.
    if first then
      redis.call('SET', KEYS[1], holder, 'PX', lease)
      return first == now and us or {'GRANTED', us, tonumber(first), tonumber(last)}
    end
  end
end

-- Extends votes. A node that rests extends none: its clock may be what made it rest. Nor does one that goes by another
-- configuration: by that a majority of other nodes may be enough for another holder.
-- KEYS[1] record, see prologue.lua
-- KEYS[2n] lock
-- KEYS[2n+1] forced: sorted set, holder -> until when its renewals are told that it was ended by force
-- ARGV[1] run id, see prologue.lua
-- ARGV[2] generation of the configuration that the caller goes by
-- ARGV[2n+1] holder
-- ARGV[2n+2] lease in ms
-- Reply {us, for each: 1 renewed, 0 gone, -1 taken, -2 ended by force, -3 the node extends nothing}
local reply, locks, extends = {int(us)}, {}, ms >= rest and generation == ARGV[2]
for i = 1, (#KEYS - 1) / 2 do locks[i] = KEYS[2 * i] end
for i, current in ipairs(redis.call('MGET', unpack(locks))) do
  if current == ARGV[2 * i + 1] and not extends then
    reply[i + 1] = -3
  elseif current == ARGV[2 * i + 1] then
    redis.call('PEXPIRE', KEYS[2 * i], ARGV[2 * i + 2])
    reply[i + 1] = 1
  elseif redis.call('ZSCORE', KEYS[2 * i + 1], ARGV[2 * i + 1]) then
    reply[i + 1] = -2
  else
    reply[i + 1] = current and -1 or 0
  end
end
return reply

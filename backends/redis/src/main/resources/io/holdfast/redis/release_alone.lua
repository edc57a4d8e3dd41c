-- The usual case of release, in as few calls as there can be: an exclusive hold, and nobody waits.
-- Stands before the prologue, so that what that defines costs nothing here. KEYS and ARGV: see release.lua
if redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('EXISTS', KEYS[3], KEYS[4]) == 0 then
  redis.call('DEL', KEYS[1])
  return {1, us}
end

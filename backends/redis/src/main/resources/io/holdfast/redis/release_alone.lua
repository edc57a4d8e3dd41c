-- The usual case of release, in as few calls as there can be: an exclusive hold, and nobody waits.
-- Stands before all else, so that what that does costs nothing here. KEYS and ARGV: see release.lua
local current = redis.call('GET', KEYS[1])
local head -- The first in the queue, taken out of it: whatever it wants fits where an exclusive hold ends.
if current == ARGV[1] then
  head = redis.call('ZPOPMIN', KEYS[3])[1]
  if not head then return redis.call('DEL', KEYS[1]) end
end

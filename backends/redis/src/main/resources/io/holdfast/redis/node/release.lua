-- Takes the vote back from a holder, which does not wait any more either, and tells the first waiter.
-- KEYS[1] record, see prologue.lua
-- KEYS[2] lock
-- KEYS[3] callers
-- KEYS[4] reserved
-- KEYS[5] ballot, see vote.lua
-- ARGV[1] run id, see prologue.lua
-- ARGV[2] holder
-- ARGV[3] its channel, not to be told any more if it waited
-- ARGV[4] the lock's name
-- Reply {1 if it had the vote, us}
local had = redis.call('GET', KEYS[2]) == ARGV[2]
if had then
  redis.call('DEL', KEYS[2], KEYS[5]) -- The first write: from here on the script may write though memory is full.
  announce(KEYS[3], KEYS[4], ARGV[4])
else
  redis.call('ZREM', KEYS[3], ARGV[3]) -- Not if it had the vote: others of its process may wait.
end
return {had and 1 or 0, int(us)}

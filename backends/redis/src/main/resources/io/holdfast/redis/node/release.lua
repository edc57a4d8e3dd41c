-- Takes the vote back from a holder, which does not wait any more either.
-- KEYS[1] record, see prologue.lua
-- KEYS[2] lock
-- KEYS[3] callers
-- KEYS[4] reserved
-- ARGV[1] run id, see prologue.lua
-- ARGV[2] holder
-- ARGV[3] its channel, not to be told any more if it waited; else empty
-- ARGV[4] the lock's name if others are to be told; else empty
-- Reply {1 if it had the vote, us}
local had = redis.call('GET', KEYS[2]) == ARGV[2]
if had then redis.call('DEL', KEYS[2]) end -- The first write: from here on the script may write though memory is full.
if not had and ARGV[3] ~= '' then redis.call('ZREM', KEYS[3], ARGV[3]) end -- A holder may have others of its process wait.
if had and ARGV[4] ~= '' then announce(KEYS[3], KEYS[4], ARGV[4]) end
return {had and 1 or 0, int(us)}

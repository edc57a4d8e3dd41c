-- Reads the newest number on behalf of a node that joins, and raises the epoch: what was voted before is not confirmed
-- after, so that no token is granted that the joining node does not know.
-- KEYS[1] record, see prologue.lua
-- ARGV[1] run id, see prologue.lua
-- Reply {'MEMBER' or 'NONE', us, epoch, newest, ms for which it rests, longest lease in ms, name, generation,
--        configuration}
if not member then return state('NONE') end
epoch = int(redis.call('HINCRBY', KEYS[1], 'epoch', 1))
return state('MEMBER')

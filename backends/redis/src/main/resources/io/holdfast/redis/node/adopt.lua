-- Makes a member go by another configuration. The epoch is raised: what was voted before is not confirmed after, so that no
-- token is granted that the new members do not know. Counts go on from the floor, which is above all tokens of before.
-- KEYS[1] record, see prologue.lua
-- ARGV[1] run id, see prologue.lua
-- ARGV[2] generation
-- ARGV[3] configuration
-- ARGV[4] floor
-- ARGV[5] number of the change that made it
-- Reply {1 if the node goes by it now, us}
if not member then return {0, int(us)} end
if generation == ARGV[2] then return {1, int(us)} end
local claim = tonumber(redis.call('HGET', KEYS[1], 'claim') or 0)
if tonumber(ARGV[2]) < tonumber(generation or 0) or tonumber(ARGV[5]) < claim then return {0, int(us)} end
redis.call('HINCRBY', KEYS[1], 'epoch', 1)
redis.call('HSET', KEYS[1], 'generation', ARGV[2], 'configuration', ARGV[3], 'claim', ARGV[5],
           'floor', int(math.max(floor, tonumber(ARGV[4]))), 'newest', int(math.max(newest, tonumber(ARGV[4]))))
return {1, int(us)}

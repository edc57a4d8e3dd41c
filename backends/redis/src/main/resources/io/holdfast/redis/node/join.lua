-- Makes the node a member.
-- KEYS[1] record, see prologue.lua
-- KEYS[2] joining
-- ARGV[1] run id, see prologue.lua
-- ARGV[2] ticket
-- ARGV[3] newest number of the others
-- ARGV[4] epoch
-- ARGV[5] for how many ms it rests
-- ARGV[6] longest lease in ms
-- ARGV[7] by which name it is a member
-- ARGV[8] generation of the configuration
-- ARGV[9] configuration
-- Reply {1 if it is a member now, us}
if member or redis.call('GET', KEYS[2]) ~= ARGV[2] then return {0, int(us)} end
local known = math.max(newest, tonumber(ARGV[3]))
redis.call('HSET', KEYS[1], 'epoch', ARGV[4], 'run', ARGV[1], 'newest', int(known), 'floor', int(known),
           'rest', int(ms + tonumber(ARGV[5])), 'longest', int(math.max(longest, tonumber(ARGV[6]))),
           'name', ARGV[7], 'generation', ARGV[8], 'configuration', ARGV[9])
redis.call('DEL', KEYS[2])
return {1, int(us)}

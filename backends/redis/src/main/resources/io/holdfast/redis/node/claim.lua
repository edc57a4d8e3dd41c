-- Promises to adopt no configuration of an earlier change of the members.
-- KEYS[1] record, see prologue.lua
-- ARGV[1] run id, see prologue.lua
-- ARGV[2] number of the change
-- Reply {1 if no change with this number or a greater one had the promise, us}
if not member or tonumber(ARGV[2]) <= tonumber(redis.call('HGET', KEYS[1], 'claim') or 0) then return {0, int(us)} end
redis.call('HSET', KEYS[1], 'claim', ARGV[2])
return {1, int(us)}

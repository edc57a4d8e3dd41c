-- Ends an exclusive hold and tells nobody: while a slot migrates, a script may touch only keys that are there.
-- KEYS[1] lock
-- ARGV[1] holder
-- Reply {1 if it held the lock, us, 1 if there are shared holds or permits: then release_shared.lua knows}
local time = redis.call('TIME')
local current = redis.call('GET', KEYS[1])
local held = current == ARGV[1] and redis.call('DEL', KEYS[1]) or 0
local shared = current and string.sub(current, 1, 9) == 'holdfast:'
return {held, string.format('%.0f', tonumber(time[1]) * 1000000 + tonumber(time[2])), shared and 1 or 0}

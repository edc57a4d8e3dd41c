-- Ends the hold that a message told of and that nobody waits for, and hands over.
-- A later hold of the same holder stays: it may have asked again, and have been answered, before this is carried out.
-- KEYS[1..6] see prologue.lua
-- ARGV[1] holder
-- ARGV[2] first token of the grant
-- Reply {1 if it held the lock by that grant, us, 1 if there is more to hand over}
local held, more = 0, false
if current == ARGV[1] then
  if string.match(redis.call('GET', fence) or '', '^%d+') == ARGV[2] then
    held = redis.call('DEL', lock)
    current = false
  end
elseif is_marker(current)
    and string.match(redis.call('HGET', weights, ARGV[1]) or '', '^%d+ (%d+)') == ARGV[2] then
  held = drop({ARGV[1]})
  settle()
end
if held == 1 then more = select(3, pump()) end
return {held, int(us), more and 1 or 0}

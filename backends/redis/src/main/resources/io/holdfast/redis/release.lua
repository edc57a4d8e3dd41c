-- Ends a hold or a wait, and hands over to whoever is next.
-- KEYS[1..6] see prologue.lua
-- ARGV[1] holder
-- ARGV[2] its entry in the queue; empty: it never stood there
-- Reply {1 if it held the lock, us, 1 if there is more to hand over; in the usual case nothing}
--    or {1, us, 0, message}: it held the lock, and the next is of the same client: what its channel would have told it
--    or 1: it held the lock
local held, more = 0, false
if current == ARGV[1] then
  redis.call('DEL', lock)
  current, held = false, 1
elseif ARGV[2] ~= '' then
  leave(ARGV[2]) -- Who holds a lock alone does not stand in its queue.
end
if is_marker(current) then
  held = drop({ARGV[1]})
  prune()
  if current then settle() end
end
if not current or is_marker(current) then more = select(3, pump(nil, head)) end
return {held, int(us), more and 1 or 0}

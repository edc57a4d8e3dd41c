-- Who holds the lock and who waits, a page of each. Changes nothing.
-- KEYS[1..6] see prologue.lua
-- ARGV[1] at which place of both the page begins
-- ARGV[2] at which place it ends
-- Reply {us, value of the plain key or '', its PTTL, fence,
--        {holder, end in server ms …}, {weight or '' …}, {entry …}, {until when it is credible, in server ms, or '' …}}
local holding, weighing, credible = {}, {}, {}
if is_marker(current) then
  holding = redis.call('ZRANGE', holders, ARGV[1], ARGV[2], 'WITHSCORES')
end
local names = {}
for i = 1, #holding, 2 do table.insert(names, holding[i]) end
if #names > 0 then weighing = redis.call('HMGET', weights, unpack(names)) end
local waiting = redis.call('ZRANGE', queue, ARGV[1], ARGV[2])
if #waiting > 0 then credible = redis.call('ZMSCORE', alive, unpack(waiting)) end
for _, values in ipairs({weighing, credible}) do
  for i = 1, #values do values[i] = values[i] or '' end -- A list with holes would end at the first.
end
return {int(us), current or '', redis.call('PTTL', lock), redis.call('GET', fence) or '',
        holding, weighing, waiting, credible}

-- Who holds the lock and who waits. Changes nothing.
-- KEYS[1..6] see prologue.lua
-- Reply {us, value of the plain key or '', its PTTL, fence, {holder, end in server ms, weight …}, {entry …}}
local shown, waiting = {}, {}
if is_marker(current) then
  local ends = redis.call('ZRANGEBYSCORE', holders, '(' .. int(ms), '+inf', 'WITHSCORES')
  for i = 1, #ends, 2 do
    table.insert(shown, ends[i])
    table.insert(shown, ends[i + 1])
    table.insert(shown, redis.call('HGET', weights, ends[i]) or '')
  end
end
for _, entry in ipairs(redis.call('ZRANGE', queue, 0, 999)) do
  if tonumber(redis.call('ZSCORE', alive, entry) or '0') > ms then table.insert(waiting, entry) end
end
return {int(us), current or '', redis.call('PTTL', lock), redis.call('GET', fence) or '', shown, waiting}

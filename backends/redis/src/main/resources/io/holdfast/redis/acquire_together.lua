-- Acquires several locks, each for itself, that are in the usual case: free, and nobody waits. All holds are exclusive.
-- Whatever is in another case stays as it is: who asks for it asks again, by a call of its own. See acquire.lua
-- KEYS[3n-2] lock, KEYS[3n-1] fence, KEYS[3n] queue
-- ARGV[1] server ms after which the request is refused: its sender has given up
-- ARGV[4n-2] holder, ARGV[4n-1] lease in ms, ARGV[4n] passes, ARGV[4n+1] purpose, after a blank, or nothing
-- Reply {for each: us, or {'GRANTED', us, first, last}: granted as acquire.lua says it; 0: not in the usual case}
--    or us: all are granted so
local call = redis.call -- Found faster, some dozen times.
local queues = {}
for i = 1, #KEYS / 3 do queues[i] = KEYS[3 * i] end
local late = ms > tonumber(ARGV[1])
local waited = call('EXISTS', unpack(queues)) > 0

local function grant(lock, fence, queue, holder, lease, passes, purpose)
  if late or waited and call('EXISTS', queue) == 1 then return 0 end
  local taken = redis.pcall('SET', lock, holder, 'NX', 'PX', lease) -- The first write: refused if memory is full.
  if not taken or taken.err then return 0 end
  local first, last = stamp(fence, holder, lease, passes, purpose)
  if not first then
    call('DEL', lock)
    return 0
  end
  return first == now and us or {'GRANTED', us, tonumber(first), tonumber(last)}
end

local reply, all = {}, true
for i = 1, #queues do
  reply[i] = grant(KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i],
                   ARGV[4 * i - 2], ARGV[4 * i - 1], ARGV[4 * i], ARGV[4 * i + 1])
  all = all and reply[i] == us
end
return all and us or reply

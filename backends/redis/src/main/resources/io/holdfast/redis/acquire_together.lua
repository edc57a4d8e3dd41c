-- Acquires several locks, each for itself, that are in the usual case: free, and nobody waits. All holds are exclusive.
-- Whatever is in another case stays as it is: who asks for it asks again, by a call of its own. See acquire.lua
-- KEYS[3n-2] lock, KEYS[3n-1] fence, KEYS[3n] queue
-- ARGV[1] server ms after which the request is refused: its sender has given up
-- ARGV[4n-2] holder, ARGV[4n-1] lease in ms, ARGV[4n] passes, ARGV[4n+1] purpose, after a blank, or nothing
-- Reply {for each: us, or {'GRANTED', us, first, last}: granted as acquire.lua says it; 0: not in the usual case}
--    or us: all are granted so
local call, pcall = redis.call, redis.pcall -- Found faster, some dozen times.
local DAY = 86400000
local time = call('TIME')
local us = time[1] * 1000000 + time[2]
local now = time[1] .. string.sub('00000' .. time[2], -6) -- To format a number costs more than to call a command.

local queues = {}
for i = 1, #KEYS / 3 do queues[i] = KEYS[3 * i] end
local late = us / 1000 > tonumber(ARGV[1])
local waited = call('EXISTS', unpack(queues)) > 0

-- Most leases and passes are those of the one before.
local lease, kept, passes, last

local function grant(lock, fence, queue, holder, purpose)
  if late or waited and call('EXISTS', queue) == 1 then return 0 end
  local taken = pcall('SET', lock, holder, 'NX', 'PX', lease) -- The first write: refused if memory is full.
  if not taken or taken.err then return 0 end
  local before = pcall('SET', fence, now .. last .. holder .. purpose, 'PX', kept, 'GET')
  if not before then return us end
  if before.err then -- No string: the call of its own says so.
    call('DEL', lock)
    return 0
  end
  local newest = tonumber(string.match(before, '^%d+ (%d+)'))
  if not newest or newest < us then return us end
  -- Minted in this microsecond, or when the clock was ahead.
  local from, to = newest + 1, newest + 1 + passes
  call('SET', fence, string.format('%.0f %.0f ', from, to) .. holder .. purpose,
       'PX', string.format('%.0f', math.max(math.ceil((to - us) / 1000), lease) + DAY))
  return {'GRANTED', us, from, to}
end

local reply, all = {}, true
for i = 1, #queues do
  if lease ~= ARGV[4 * i - 1] then
    lease = ARGV[4 * i - 1]
    kept = string.format('%.0f', lease + DAY)
  end
  if passes ~= ARGV[4 * i] then
    passes = ARGV[4 * i]
    last = string.format(' %.0f ', us + passes)
  end
  reply[i] = grant(KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i], ARGV[4 * i - 2], ARGV[4 * i + 1])
  all = all and reply[i] == us
end
return all and us or reply

-- What the steps of a quorum's node share: put in front of each.
-- KEYS[1] record: hash, what the node knows of itself: epoch, run, newest, floor, rest, longest, name,
--   generation, configuration, claim
--   run: the process that joined; another one may have lost data, be it that its epoch came from a file
--   newest: no number above it was given out; a lock without a count goes on from here
--   floor: newest when it joined; counts below it are from before, and may be old
--   name: by which name it is a member; generation, configuration: who the members are, and its number
--   claim: the number of the latest change of members that it promised itself to
--   rest: until when it gives no votes, in server ms; longest: the longest lease time, in ms
-- ARGV[1] the run id of the process that the caller is connected to
local time = redis.call('TIME')
local us = tonumber(time[1]) * 1000000 + tonumber(time[2])
local ms = math.floor(us / 1000)
local DAY, RESERVED, WAITERS = 86400000, 100, 64
local epoch, run, newest, floor, rest, longest, generation =
  unpack(redis.call('HMGET', KEYS[1], 'epoch', 'run', 'newest', 'floor', 'rest', 'longest', 'generation'))
newest, floor, rest, longest = tonumber(newest or 0), tonumber(floor or 0), tonumber(rest or 0), tonumber(longest or 0)
local member = epoch and run == ARGV[1]

-- All digits: tostring and .. would round a number.
local function int(number)
  return string.format('%.0f', number)
end

local function state(knowledge)
  local name, configuration = unpack(redis.call('HMGET', KEYS[1], 'name', 'configuration'))
  return {knowledge, int(us), epoch or '0', int(newest), int(math.max(0, rest - ms)), int(longest),
          name or '', generation or '0', configuration or ''}
end

-- The count outlives its number's time by a day; the newest number of all stands in for it afterwards.
local function remember(fence, number, lease, holder, purpose)
  redis.call('SET', fence, (string.gsub(table.concat({int(number), int(number), holder, purpose}, ' '), ' $', '')),
             'PXAT', int(math.max(math.ceil(number / 1000), ms + lease) + DAY))
  if number > newest then redis.call('HSET', KEYS[1], 'newest', int(number)) end
end

-- Tells the first of those who wait and still listen, and keeps the lock for it for a moment: if all woke up at once,
-- or if the releaser came back at once, few would ever get a majority.
local function announce(callers, reserved, name)
  for _ = 1, WAITERS do
    local channel = redis.call('ZRANGE', callers, 0, 0)[1]
    if not channel then return end
    redis.call('ZREM', callers, channel)
    if redis.call('PUBSUB', 'NUMSUB', channel)[2] > 0 then
      redis.call('SET', reserved, channel, 'PX', RESERVED)
      redis.pcall('PUBLISH', channel, 'retry ' .. name)
      return
    end
  end
end

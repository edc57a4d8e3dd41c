-- Grants the lock, or gives a place in the queue. A repeat extends the hold, or keeps the place.
-- KEYS[1..6] see prologue.lua
-- ARGV[1] entry
-- ARGV[2] server ms after which the request is refused: its sender has given up
-- ARGV[3] for how many ms the place is credible; 0: does not wait
-- ARGV[4] ticket of the place it had; 0: none
-- Reply {'GRANTED', us, first, last, 1 if there is more to hand over; in the usual case nothing}
--    or us: granted, the first token is that time, and there are as many passes as asked for
--    or {'HELD', us, ms until a hold ends (-1: never), ticket, rank (0: first), 1 if the holder is not Holdfast's};
--       who is not first is not always told more than that somebody holds: -1, and 1 for its rank
--    or {'REFUSED', us, what it is in use as}
--    or {'LATE', us}
local asking = parse(ARGV[1])
local credible, ticket = tonumber(ARGV[3]), tonumber(ARGV[4])

local function granted(first, last, more)
  return {'GRANTED', us, tonumber(first), tonumber(last), more and 1 or 0}
end

-- A retry whose first reply was lost, or a poll that missed its grant: the same tokens, and the time begins anew.
local function again()
  if current == asking.holder then
    redis.call('PEXPIRE', lock, asking.lease)
    local first, last, owner = string.match(redis.call('GET', fence) or '', '^(%d+) (%d+) (%S+)')
    if owner == asking.holder then return first, last end
    return grant(asking)
  end
  local kept = current and current == asking.marker and redis.call('HGET', weights, asking.holder)
  if kept then
    redis.call('ZADD', holders, int(ms + asking.lease), asking.holder)
    settle()
    return string.match(kept, '^%d+ (%d+) (%d+)')
  end
end

-- A lock may be held for long, and waiters die meanwhile. One whose poll was only late comes back with its ticket.
local function drop_dead()
  local dead = redis.call('ZRANGEBYSCORE', alive, '-inf', int(ms), 'LIMIT', 0, 8)
  if #dead == 0 then return end
  redis.call('ZREM', queue, unpack(dead))
  redis.call('ZREM', alive, unpack(dead))
end

-- The place in the queue: its ticket, or behind the last one. Both sets end with their last credible entry.
local function stand()
  local known = redis.call('ZSCORE', queue, asking.entry)
  if known then
    ticket = tonumber(known)
  else
    if ticket == 0 then
      local tail = redis.call('ZREVRANGE', queue, 0, 0, 'WITHSCORES')[2]
      ticket = math.max(us, tonumber(tail or '0') + 1)
    end
    redis.call('ZADD', queue, int(ticket), asking.entry)
  end
  redis.call('ZADD', alive, int(ms + credible), asking.entry)
  drop_dead()
  for _, key in ipairs({queue, alive}) do
    if redis.call('PTTL', key) < credible then redis.call('PEXPIRE', key, credible) end
  end
end

local function kind(marker)
  local limit = marker and string.match(marker, '^' .. PERMITS .. '(%d+)$')
  return limit and 'a semaphore of ' .. limit .. ' permits' or 'a lock'
end

local function remaining()
  if not current then return 0 end
  if not is_marker(current) then return redis.call('PTTL', lock) end
  local next_end = redis.call('ZRANGE', holders, 0, 0, 'WITHSCORES')[2]
  return next_end and math.max(1, tonumber(next_end) - ms) or 0
end

local function is_foreign()
  if not current or is_marker(current) then return 0 end
  return string.match(redis.call('GET', fence) or '', '^%d+ %d+ (%S+)') == current and 0 or 1
end

if ms > tonumber(ARGV[2]) then return {'LATE', int(us)} end
prune()
local first, last = again()
if first then return granted(first, last) end

local queued = redis.call('EXISTS', queue) == 1
local standing = credible > 0 and (ticket > 0 or queued and redis.call('ZSCORE', queue, asking.entry))
if standing then stand() end
if (standing or queued) and (not current or is_marker(current)) then
  local more
  first, last, more = pump(asking.entry)
  if first then return granted(first, last, more) end
  queued = redis.call('EXISTS', queue) == 1
end
if current and kind(current) ~= kind(asking.marker) then
  if standing then leave(asking.entry) end
  return {'REFUSED', int(us), kind(current)}
end
if not queued and fits(asking) then
  first, last = grant(asking)
  if asking.marker then settle() end
  return granted(first, last)
end
if credible > 0 and not standing then stand() end
local rank = credible > 0 and redis.call('ZRANK', queue, asking.entry) or -1
return {'HELD', int(us), remaining(), int(ticket), rank, is_foreign()}

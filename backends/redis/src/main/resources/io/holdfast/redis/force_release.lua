-- Ends the hold that has this token, raises the token beyond it, tells the holder, and hands over.
-- KEYS[1..6] see prologue.lua
-- KEYS[7] forced: sorted set, holder -> until when its renewals are told that it was ended by force
-- ARGV[1] token
-- ARGV[2] with what the channel of a client begins; its process id follows
-- ARGV[3] reason
-- ARGV[4] where to go on in the weights; 0: at their beginning
-- Reply {1 if there was such a hold, us, its holder, 1 if there is more to hand over}
--    or {0, us, where to go on; 0: there is none}
local token = tonumber(ARGV[1])

local function has(first, last)
  return first and tonumber(first) <= token and token <= tonumber(last)
end

-- Of many holders some at a time, so that nobody else waits long.
local cursor = '0'
local function find()
  if current and not is_marker(current) then
    local first, last, owner = string.match(redis.call('GET', fence) or '', '^(%d+) (%d+) (%S+)')
    return owner == current and has(first, last) and current or nil
  end
  if not current then return end
  local kept
  cursor, kept = unpack(redis.call('HSCAN', weights, ARGV[4], 'COUNT', 128))
  for i = 1, #kept, 2 do
    if has(string.match(kept[i + 1], '^%d+ (%d+) (%d+)')) then return kept[i] end -- The sum has no tokens.
  end
end

prune()
local holder = find()
if not holder then return {0, int(us), cursor} end
local ends = current == holder and ms + redis.call('PTTL', lock) or tonumber(redis.call('ZSCORE', holders, holder))
if current == holder then
  redis.call('DEL', lock)
  current = false
else
  drop({holder})
  settle()
end
local first, last = mint(0)
remember(first, last, 0, 'forced')
redis.call('ZADD', KEYS[7], int(ends), holder)
if redis.call('PTTL', KEYS[7]) < ends - ms then redis.call('PEXPIREAT', KEYS[7], int(ends)) end
tell(ARGV[2] .. string.match(holder, '^(.*)-%d+$'), 'forced ' .. holder .. ' ' .. ARGV[3])
local more = select(3, pump())
return {1, int(us), holder, more and 1 or 0}

-- The tokens of an exclusive hold in the usual case, which stands before the prologue. After time.lua
local DAY = 86400000
local now = time[1] .. string.sub('00000' .. time[2], -6) -- To format a number costs more than to call a command.
local lease_before, kept, passes_before, last -- Of many in one call, most ask for what the one before asked for.

-- Mints the next ones and remembers them for a holder. Returns the first and the last as text; nothing if they cannot
-- be written: what follows the usual case finds out why, and says so.
local function stamp(fence, holder, lease, passes, purpose)
  if lease ~= lease_before then
    lease_before, kept = lease, string.format('%.0f', lease + DAY)
  end
  if passes ~= passes_before then
    passes_before, last = passes, passes == '0' and now or string.format('%.0f', us + passes)
  end
  local before = redis.pcall('SET', fence, now .. ' ' .. last .. ' ' .. holder .. purpose, 'PX', kept, 'GET')
  if type(before) == 'table' then return end
  local newest = before and tonumber(string.match(before, '^%d+ (%d+)'))
  if not newest or newest < us then return now, last end
  -- Minted in this microsecond, or when the clock was ahead.
  local from, to = newest + 1, newest + 1 + passes
  local first, final = string.format('%.0f', from), string.format('%.0f', to)
  redis.call('SET', fence, first .. ' ' .. final .. ' ' .. holder .. purpose,
             'PX', string.format('%.0f', math.max(math.ceil(to / 1000) - ms, lease) + DAY))
  return first, final
end

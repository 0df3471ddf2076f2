-- Runs in Envoy on the routes `/<model>/v1…`, before the AI gateway's filter: that one knows its paths alone, and chooses by the
-- body's `model`. It gets such a path, and the routes get the model that the client's path named. `shortcuts`, before this, are the
-- further paths of server groups, each with what it stands for.

-- Where the filter has another path for what engines have under `/v1` (Envoy AI Gateway 1.1, cmd/extproc/mainlib/main.go).
local paths = { ["/v1/rerank"] = "/cohere/v2/rerank" }

local function path_of_filter(model, rest)
  local shortcut = shortcuts[model] and shortcuts[model][rest]
  if shortcut ~= nil then
    return shortcut
  end
  if rest == "/v1" or string.sub(rest, 1, 4) == "/v1/" then
    return paths[rest] or rest
  end
  return nil
end

function envoy_on_request(request)
  local headers = request:headers()
  local path = headers:get(":path")
  local model, rest, query = string.match(path, "^/([^/?]+)(/[^?]*)(.*)$")
  local there = model and path_of_filter(model, rest)
  if there == nil then
    return -- The route's own answer is a refusal.
  end
  -- For the access log. No header: the AI gateway's filter writes its own path over `x-envoy-original-path` (from 1.1 on).
  request:streamInfo():dynamicMetadata():set("inference-stacks", "client_path", "/" .. model .. rest)
  headers:replace("x-path-model", model)
  headers:replace(":path", there .. query)
end

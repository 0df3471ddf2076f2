-- Runs in Envoy on the routes `/<model>/v1…`, before the AI gateway's filter: that one knows its paths alone, and chooses by the
-- body's `model`. It gets such a path, and the routes get the model that the client's path named.

-- Where the filter has another path for what engines have under `/v1` (Envoy AI Gateway 1.1, cmd/extproc/mainlib/main.go).
local paths = { ["/v1/rerank"] = "/cohere/v2/rerank" }

function envoy_on_request(request)
  local headers = request:headers()
  local path = headers:get(":path")
  local model, rest, query = string.match(path, "^/([^/?]+)(/v1[^?]*)(.*)$")
  if model == nil then
    return -- The route's own answer is a refusal.
  end
  headers:replace("x-path-model", model)
  headers:replace("x-envoy-original-path", path) -- For the access log.
  headers:replace(":path", (paths[rest] or rest) .. query)
end

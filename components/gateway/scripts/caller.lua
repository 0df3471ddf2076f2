-- Runs in Envoy on every route of the models' listener, once the caller is known. `consumers`, before this, are those who may call; nil
-- where nobody else gets so far. What it changes makes Envoy choose the route anew.

function envoy_on_request(request)
  local headers = request:headers()
  -- Of a key, or else of a token: its filter takes away the header that it writes, so the two cannot share one.
  local consumer = headers:get("x-consumer-id") or headers:get("x-token-consumer")
  if consumers ~= nil and (consumer == nil or not consumers[consumer]) then
    request:respond({ [":status"] = "403" }, "")
    return
  end
  -- Credentials are for the gateway alone: Envoy Gateway 1.9 has Envoy forward tokens, and beside a token no key is looked at.
  headers:remove("authorization")
  headers:remove("x-api-key")
  headers:remove("x-token-consumer")
  -- For the gateway, and for backends. A client's are gone: the listener removes them before anything reads them.
  if consumer ~= nil then
    headers:replace("x-consumer-id", consumer)
    headers:replace("x-tenant-id", consumer)
  end
end

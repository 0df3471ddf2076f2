/** Kinds without a health check in Argo CD 3.6.1, or with one that never ends a sync. */

const HEALTHY = `hs = {}
hs.status = "Healthy"
hs.message = ""
return hs
`;

/**
 * Progressing until a condition is True. Never Degraded, which ends the sync: references may come
 * in the same wave.
 */
function byCondition(ready: string): string {
  return `hs = {}
hs.status = "Progressing"
hs.message = ""
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    if condition.type == "${ready}" and condition.status == "True" then
      hs.status = "Healthy"
      hs.message = condition.message or ""
      return hs
    end
    hs.message = condition.message or ""
  end
end
return hs
`;
}

/** Argo CD assesses no Applications by default, and waves must wait for charts. */
const APPLICATION = `hs = {}
hs.status = "Progressing"
hs.message = ""
if obj.status ~= nil and obj.status.health ~= nil then
  hs.status = obj.status.health.status
  hs.message = obj.status.health.message or ""
end
return hs
`;

/**
 * Keys of the ConfigMap `argocd-cm`. Envoy Gateway's kinds are healthy once applied: releases after
 * 3.5 would wait for a status that comes in a later wave.
 */
export const HEALTH_CHECKS: Readonly<Record<string, string>> = {
  "resource.customizations": `gateway.envoyproxy.io/*:
  health.lua: |
${HEALTHY.replaceAll(/^(?=.)/gm, "    ")}`,
  ...ofKind("argoproj.io", "Application", APPLICATION),
  // Conditions of the groups' own APIs, each at v1.
  ...ofKind("leaderworkerset.x-k8s.io", "LeaderWorkerSet", byCondition("Available")),
  ...ofKind("ray.io", "RayService", byCondition("Ready")),
  ...ofKind("aigateway.envoyproxy.io", "AIGatewayRoute", byCondition("Accepted")),
};

function ofKind(group: string, kind: string, check: string): Readonly<Record<string, string>> {
  return { [`resource.customizations.health.${group}_${kind}`]: check };
}

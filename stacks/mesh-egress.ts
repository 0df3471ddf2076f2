import { serverAt } from "../components/core/outside";
import type { OutsidePublished } from "../components/gateway/published";
import { type EgressServer, egressHost } from "../components/mesh/egress";
import { sourceServer } from "../components/storage/source-servers";
import { SOURCES } from "../engines/sources";
import type { DeploymentPlan } from "../planner/types";
import type { CoreConfig } from "./config/core/schema";
import { storeElsewhere } from "./config/core/store-backend";

/** Default ACME server: Let's Encrypt. */
const LETS_ENCRYPT = "https://acme-v02.api.letsencrypt.org/directory";

/**
 * Named external servers of platform and environment. Only the environment can name what an engine
 * fetches elsewhere at run time.
 */
export function meshEgress(
  { mesh, gateway, storage }: Pick<CoreConfig, "mesh" | "gateway" | "storage">,
  { models, groups, tokenIssuer }: Pick<DeploymentPlan, "models" | "groups" | "tokenIssuer">,
  outside: readonly Pick<OutsidePublished, "outside">[],
): EgressServer[] {
  const sources = models.flatMap(({ source, adapters }) => [
    source,
    ...(adapters?.list ?? []).map((each) => each.source),
  ]);
  const store = storeElsewhere(storage);
  const urls = [
    ...outside.map(({ outside: { address } }) => address.url),
    ...groups.flatMap(({ registrar }) => registrar?.url ?? []),
    ...models.flatMap((model) => sourceServer(model, storage)?.address.url ?? []),
    ...(store ? [store.url] : []),
    ...(tokenIssuer ? [tokenIssuer.jwks.url] : []),
    ...(gateway.tls.kind === "acme" ? [gateway.tls.server ?? LETS_ENCRYPT] : []),
  ];
  return [
    ...urls.map((url) => serverAt({ url })),
    ...sources.flatMap(({ kind }) => SOURCES[kind].hosts ?? []).map(egressHost),
    // cert-manager first checks its own challenge at the gateway's public name.
    ...(gateway.tls.kind === "acme" ? [{ host: gateway.hostname, family: undefined, port: 80, tls: false }] : []),
    ...mesh.egressHosts.map(egressHost),
  ];
}

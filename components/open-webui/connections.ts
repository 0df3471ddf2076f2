import type { Connection } from "../core/connections";
import { connect } from "../core/connections";
import type { ClusterNetworks } from "../core/network";
import { type OutsideAddress, outsideEnds, serverAt } from "../core/outside";
import { gatewayProxies, PROXY_PORTS } from "../gateway/names";
import { type StoreBucket, storeEnds } from "../storage/store-server";
import { openWebUiBackupPods, openWebUiPods } from "./names";

export interface OpenWebUiConnections {
  /** Who signs people in. @default the page itself */
  readonly issuer?: OutsideAddress;
  readonly networks: Pick<ClusterNetworks, "privateCidrs">;
  /** The model store, where it is elsewhere. @default in the cluster */
  readonly storeBucket?: StoreBucket | undefined;
}

/** Requests to the page are in the gateway's list. */
export function openWebUiConnections({ issuer, networks, storeBucket }: OpenWebUiConnections): Connection[] {
  const store = storeEnds(storeBucket, networks);
  return [
    connect({
      name: "open-webui-to-gateway",
      reason: "The chat page calls models as any client does, with a key of its own",
      from: openWebUiPods,
      to: gatewayProxies,
      ports: [PROXY_PORTS.https],
    }),
    connect({
      name: "open-webui-backup-to-model-store",
      reason: "Chats and users are copied into the model store, and back from there",
      from: openWebUiBackupPods,
      to: store.to,
      ports: [store.port],
    }),
    ...(issuer
      ? [
          connect({
            name: "open-webui-to-issuer",
            reason: "The chat page asks the issuer who has signed in",
            from: openWebUiPods,
            to: outsideEnds(issuer, networks),
            ports: [serverAt(issuer).port],
          }),
        ]
      : []),
  ];
}

import type * as pulumi from "@pulumi/pulumi";
import type { CertManager } from "../certificates/cert-manager";
import type { Cluster } from "../core/cluster";
import { MinioServer } from "./minio-server";
import {
  caFile,
  SERVER_CERTIFICATE_SECRET,
  storeCertificates,
  TRUST_SECRET,
  trustCertificate,
} from "./store-certificates";
import { randomKeys } from "./store-keys";
import { METRICS, metricsPolicy, WRITER } from "./store-layout";
import { storeMetrics } from "./store-metrics";
import { type StoreUser, storeProvisioning } from "./store-provisioning";
import type { StoreRole } from "./store-roles";
import { CLUSTER_ENDPOINT, type StoreServer } from "./store-server";

export interface MinioStoreArgs {
  readonly namespace: pulumi.Input<string>;
  readonly bucket: string;
  readonly sizeGiB: number;
  readonly cluster: Pick<Cluster, "storageClass" | "volumesGrow">;
  readonly certManager: CertManager;
  readonly protect: boolean;
  readonly roles: Readonly<Record<string, StoreRole>>;
}

/** The store in the cluster: one server over TLS, one bucket, and a user with random keys for each role. */
export function minioStore(
  child: (suffix: string) => string,
  { namespace, bucket, sizeGiB, cluster, certManager, protect, roles }: MinioStoreArgs,
  opts: { readonly parent: pulumi.Resource },
): StoreServer {
  storeCertificates(child("tls"), { namespace, certManager }, opts);
  const server = new MinioServer(
    child("minio"),
    { namespace, sizeGiB, storageClass: cluster.storageClass, volumeGrows: cluster.volumesGrow, protect },
    opts,
  );
  const { [WRITER]: writer, ...others } = roles;
  const policies = {
    ...(writer && { [WRITER]: writer.policy }),
    [METRICS]: metricsPolicy(),
    ...Object.fromEntries(Object.entries(others).map(([role, { policy }]) => [role, policy])),
  };
  const users: Readonly<Record<string, StoreUser>> = Object.fromEntries(
    Object.entries(policies).map(([role, policy]) => {
      const logicalName = { accessKey: child(`name-${role}`), secretKey: child(`key-${role}`) };
      return [role, { keys: randomKeys(logicalName, opts), policy }];
    }),
  );
  const keysOf = (role: string) => {
    const user = users[role];
    if (user === undefined) {
      throw new Error(`${role} is no role of the model store`);
    }
    return user.keys;
  };
  const provisioning = storeProvisioning(child("setup"), { namespace, bucket, users, dependsOn: [server] }, opts);
  storeMetrics(child("metrics"), { namespace, keys: keysOf(METRICS), dependsOn: [provisioning] }, opts);
  return {
    ...CLUSTER_ENDPOINT,
    keysOf,
    ready: [provisioning],
    authority: caFile(SERVER_CERTIFICATE_SECRET),
    trustIn: (logicalName, where, options) => {
      trustCertificate(logicalName, where, certManager, options);
      return caFile(TRUST_SECRET);
    },
  };
}

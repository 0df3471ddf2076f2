import { imageEntry } from "../../catalog/images";
import type { Labels } from "../../names/labels";
import type { HelmValues } from "../core/chart-release";
import { PRIORITY } from "../core/priority-classes";
import { burstable } from "../core/resources";
import type { Backends } from "./backends";
import { BACKEND_ALIASES, CREDENTIALS, SETTINGS } from "./names";
import type { Authority } from "./worker-pools";

export interface ReleaseValuesArgs {
  readonly backends: Backends;
  /** Labels of the nodes that the gateway runs on. */
  readonly nodeSelector: Labels;
  /** The cluster's default class when undefined. */
  readonly storageClass: string | undefined;
  /** A change restarts the gateway. */
  readonly podAnnotations: HelmValues;
  /** Authority of the object store, if it is no public one. */
  readonly authority: Authority | undefined;
}

/** Read in name order; the last wins. */
const CONFIG_FOLDER = "/etc/beta9.d";

export function releaseValues(args: ReleaseValuesArgs): HelmValues {
  const { backends, authority } = args;
  const gateway = imageEntry("beta9-gateway");
  const worker = imageEntry("beta9-worker");
  const busybox = imageEntry("busybox");
  return {
    // Their images no longer exist there.
    postgresql: { enabled: false },
    redis: { enabled: false },
    "juicefs-redis": { enabled: false },
    images: {
      gateway: { repository: gateway.repository, tag: gateway.tag },
      // The chart's default is the gateway's version.
      worker: { repository: worker.repository, tag: worker.tag },
    },
    controllers: {
      gateway: {
        // The image volume has one user.
        replicas: 1,
        pod: {
          enableServiceLinks: false,
          priorityClassName: PRIORITY.platform.name,
          nodeSelector: { "kubernetes.io/arch": "amd64", ...args.nodeSelector },
          annotations: args.podAnnotations,
        },
        containers: {
          main: {
            resources: { ...burstable({ cpu: 0.5, memoryGiB: 1 }, { cpu: 2, memoryGiB: 4, ephemeralStorageGiB: 20 }) },
            ...(authority && { env: { SSL_CERT_FILE: authority.file } }),
          },
        },
        initContainers: {
          "wait-on-backends": {
            image: { repository: busybox.repository, tag: busybox.tag },
            command: ["sh", "-c", waitForBackends(backends)],
          },
        },
      },
    },
    persistence: {
      images: { storageClass: args.storageClass ?? "" },
      settings: file("configMap", SETTINGS.configMap, SETTINGS.file),
      credentials: file("secret", CREDENTIALS.secret, CREDENTIALS.file),
      ...(authority && {
        authority: {
          enabled: true,
          type: "secret",
          name: authority.secret,
          globalMounts: [{ path: authority.file, subPath: authority.key, readOnly: true }],
        },
      }),
    },
  };
}

function file(type: "configMap" | "secret", name: string, key: string): HelmValues {
  const mount = { path: `${CONFIG_FOLDER}/${key}`, subPath: key, readOnly: true };
  return { enabled: true, type, name, globalMounts: [mount] };
}

/** The chart would wait for its own ports. */
function waitForBackends(backends: Backends): string {
  const { postgres, redis, juicefsRedis } = BACKEND_ALIASES;
  const waits = [
    [postgres, backends.postgres.port],
    [redis, backends.redis.port],
    [juicefsRedis, backends.juicefsRedis.port],
  ].map(([host, port]) => `until nc -z ${host} ${port}; do echo "waiting for ${host}:${port}"; sleep 2; done`);
  return waits.join("\n");
}

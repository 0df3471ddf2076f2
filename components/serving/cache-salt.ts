import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { featureGap } from "../../engines/vllm/releases";
import { standardLabels } from "../../names/labels";
import type { ModelPlan } from "../../planner/types";
import { hashOf } from "../core/job-scripts";
import { named } from "../core/known";
import type { EngineFiles } from "./engine-files";
import { variables } from "./pod-settings";

const NAME = "cache-salt";
const KEY = { folder: "/cache-salt-key", file: "key" } as const;

/**
 * Key of the salts that vLLM's API server reads; undefined without isolated consumers
 * (docs/decisions/0048-salts-in-the-engine.md). To rotate: `pulumi up --replace '<urn of its
 * RandomPassword>'`; caches start cold, and no request is lost.
 */
export function cacheSalt(
  logicalName: string,
  { prefixCaches, engineVersion }: Pick<ModelPlan, "prefixCaches" | "engineVersion">,
  namespace: pulumi.Input<string>,
  opts: pulumi.CustomResourceOptions,
): EngineFiles | undefined {
  if (prefixCaches === undefined) {
    return undefined;
  }
  const key = new random.RandomPassword(`${logicalName}-key`, { length: 48, special: false }, opts);
  const secret = new kubernetes.core.v1.Secret(
    logicalName,
    { metadata: { name: NAME, namespace, labels: standardLabels(NAME, NAME) }, stringData: { [KEY.file]: key.result } },
    opts,
  );
  const shared = JSON.stringify(prefixCaches.shared);
  return {
    volumes: [{ name: `${NAME}-key`, secret: { secretName: named(secret, NAME) } }],
    mounts: [{ name: `${NAME}-key`, mountPath: KEY.folder, readOnly: true }],
    environment: variables({
      CACHE_SALT_KEY: `${KEY.folder}/${KEY.file}`,
      CACHE_SALT_SHARED: shared,
      ...(featureGap("beamCacheSalt", engineVersion) && { CACHE_SALT_BEAMS: "refused" }),
    }),
    hash: hashOf([shared]),
  };
}

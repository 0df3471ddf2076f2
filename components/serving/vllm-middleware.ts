import type * as pulumi from "@pulumi/pulumi";
import { asksConnectors } from "../../engines/vllm/kv-connectors";
import type { ModelPlan } from "../../planner/types";
import { hashOf, jobScripts, SCRIPT_FOLDER } from "../core/job-scripts";
import type { EngineFiles } from "./engine-files";
import { variables } from "./pod-settings";

const NAME = "request-middleware";
const BASE = "request_body.py";

interface Middleware {
  /** What `--middleware` names: a class of a script. */
  readonly of: string;
  /** Next to `request_body.py`. */
  readonly files: readonly string[];
  readonly isAskedFor: (model: ModelPlan) => boolean;
}

const ALL: readonly Middleware[] = [
  {
    of: "cache_salt.CacheSalt",
    files: ["cache_salt.py", "cache_keys.py"],
    isAskedFor: ({ prefixCaches }) => prefixCaches !== undefined,
  },
  // Where prompts are not salted: the cache of prompts is off, or is another one.
  {
    of: "cache_keys.CacheKeys",
    files: ["cache_keys.py"],
    isAskedFor: ({ namedImages }) => namedImages === true,
  },
  {
    of: "model_names.ModelNames",
    files: ["model_names.py"],
    isAskedFor: ({ nameLimits }) => nameLimits !== undefined,
  },
  // Of a split model, the prefill proxy writes these fields, and passes none of a client's.
  {
    of: "connector_fields.ConnectorFields",
    files: ["connector_fields.py", "vllm-request-fields.json"],
    isAskedFor: ({ args }) => asksConnectors(args),
  },
];

/** Classes that change requests in vLLM's API server before it reads them. */
export function requestMiddleware(model: ModelPlan): readonly string[] {
  return asked(model).map(({ of }) => of);
}

/** Their scripts; undefined where there are none. */
export function middlewareScripts(
  logicalName: string,
  model: ModelPlan,
  namespace: pulumi.Input<string>,
  opts: pulumi.CustomResourceOptions,
): EngineFiles | undefined {
  const files = asked(model).flatMap((each) => each.files);
  if (files.length === 0) {
    return undefined;
  }
  const { volume, mount, hash } = jobScripts(
    logicalName,
    { namespace, name: NAME, folder: "components/serving/scripts", files: [BASE, ...files], volume: NAME },
    opts,
  );
  const { nameLimits } = model;
  const limits = nameLimits && JSON.stringify(nameLimits);
  return {
    volumes: [volume],
    mounts: [mount],
    environment: variables({ PYTHONPATH: SCRIPT_FOLDER, ...(limits && { MODEL_NAMES: limits }) }),
    hash: limits ? hashOf([hash, limits]) : hash,
  };
}

function asked(model: ModelPlan): readonly Middleware[] {
  return ALL.filter(({ isAskedFor }) => isAskedFor(model));
}

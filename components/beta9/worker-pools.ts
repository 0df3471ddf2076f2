import { beta9GpuType } from "../../catalog/beta9-gpus";
import type { PoolPlan } from "../../planner/types";
import type { GpuAccessByVendor } from "../core/gpu-access";

export interface WorkerPoolsArgs {
  /** Pool for image builds and functions without a GPU. */
  readonly cpuPool: Pick<PoolPlan, "selector">;
  readonly gpuPools: readonly GpuPool[];
  /** RuntimeClasses of GPU pods. @default none */
  readonly gpuAccess?: GpuAccessByVendor;
  /** What isolates functions from the worker that runs them. */
  readonly containerRuntime: "gvisor" | "runc";
  /** CA that workers trust, from a Secret. @default none */
  readonly authority?: Authority;
}

export type GpuPool = Pick<PoolPlan, "name" | "selector" | "taints" | "shape" | "usdPerNodeHour">;

export interface Authority {
  readonly secret: string;
  readonly key: string;
  /** Where the container finds it. */
  readonly file: string;
}

/** Workers start with a function and end after it. */
const NO_SPARE = { minFreeCpu: "0", minFreeGpu: "0", minFreeMemory: "0" };

/**
 * `worker.pools` of Beta9's configuration. Built-in pools `default` and `build` cannot be removed,
 * and would keep workers on any node. Keys: beam-cloud/beta9 pkg/common/config.default.yaml and
 * pkg/types/config.go@0b79dfebd, read 2026-11-21.
 * @throws Error for a GPU that Beta9 has no name for.
 */
export function workerPools(args: WorkerPoolsArgs): Record<string, object> {
  const onCpu = { jobSpec: jobSpec(args.cpuPool, args), poolSizing: NO_SPARE };
  const onGpu = args.gpuPools.map((pool) => {
    const gpuType = beta9GpuType(pool.shape.gpu?.model ?? "");
    if (gpuType === undefined) {
      throw new Error(`pool "${pool.name}" has no GPU that Beta9 has a name for: validation should have refused it`);
    }
    const vendor = pool.shape.gpu?.vendor;
    const runtime = vendor && args.gpuAccess?.[vendor]?.runtimeClass;
    const settings = {
      mode: "local",
      gpuType,
      ...(runtime !== undefined && { runtime }),
      containerRuntime: args.containerRuntime,
      jobSpec: jobSpec(pool, args),
      poolSizing: { ...NO_SPARE, defaultWorkerGpuType: gpuType, defaultWorkerGpuCount: "1" },
      hourlyCostCents: Math.round(pool.usdPerNodeHour * 100),
    };
    return [pool.name, settings] as const;
  });
  return { default: onCpu, build: onCpu, ...Object.fromEntries(onGpu) };
}

function jobSpec({ selector }: Pick<PoolPlan, "selector">, { authority }: WorkerPoolsArgs): object {
  return {
    nodeSelector: { "kubernetes.io/arch": "amd64", ...selector },
    ...(authority && {
      env: [{ name: "SSL_CERT_FILE", value: authority.file }],
      volumes: [{ name: "authority", secret: { secretName: authority.secret } }],
      volumeMounts: [{ name: "authority", mountPath: authority.file, subPath: authority.key, readOnly: true }],
    }),
  };
}

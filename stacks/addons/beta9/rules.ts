import { beta9GpuType } from "../../../catalog/beta9-gpus";
import type { MachineShape } from "../../../catalog/shapes";
import { MODEL_STORE_HOST } from "../../../components/storage/store-layout";
import { list, type Path, suggest } from "../../config/core/problems";
import { knownMachine, type Rule, type RuleContext } from "../../config/core/rule";
import type { Beta9Config } from "./config";

type Own = { readonly beta9: Beta9Config | undefined };

/** Beta9's default worker pools. */
const OWN_POOLS = ["default", "build"];

export const beta9PoolsExist: Rule<Own> = function* ({ sections: { beta9 }, declared }) {
  if (!beta9) {
    return;
  }
  const named: [Path, string][] = [
    [["beta9", "cpuPool"], beta9.cpuPool],
    ...beta9.gpuPools.map((pool, index): [Path, string] => [["beta9", "gpuPools", index], pool]),
  ];
  for (const [path, pool] of named) {
    if (!declared.pools.includes(pool)) {
      const fix = suggest(pool, declared.pools, "name a pool of this environment, or add one under pools");
      yield { path, value: pool, allowed: `a name under pools: ${list(declared.pools)}`, fix };
    }
  }
};

export const beta9CpuPoolFits: Rule<Own> = function* (context) {
  const pool = context.sections.beta9?.cpuPool;
  const machine = machineIn(context, pool);
  if (machine && (machine.gpu || machine.cpu.arch !== "amd64")) {
    const fitting = context.declared.pools.filter((name) => {
      const other = machineIn(context, name);
      return other && !other.gpu && other.cpu.arch === "amd64";
    });
    yield {
      path: ["beta9", "cpuPool"],
      value: pool,
      allowed: `a pool of amd64 machines without GPUs, because the gateway's image is for amd64 only; there are: ${list(fitting)}`,
      fix: fitting[0] === undefined ? "add such a pool under pools" : `write cpuPool: ${fitting[0]}`,
    };
  }
};

export const beta9GpuPoolsFit: Rule<Own> = function* (context) {
  const pools = context.sections.beta9?.gpuPools ?? [];
  for (const [index, pool] of pools.entries()) {
    if (!context.declared.pools.includes(pool)) {
      continue;
    }
    const path = ["beta9", "gpuPools", index];
    if (pools.indexOf(pool) < index) {
      yield { path, value: pool, allowed: "each pool once", fix: "remove it" };
      continue;
    }
    if (OWN_POOLS.includes(pool)) {
      const fix = "rename the pool under pools and here";
      yield { path, value: pool, allowed: `another name than ${list(OWN_POOLS)}, which Beta9 uses itself`, fix };
      continue;
    }
    if (context.sections.pools?.[pool]?.sharing) {
      const allowed = "a pool whose GPUs are whole: Beta9's workers ask for nvidia.com/gpu";
      yield { path, value: pool, allowed, fix: `name another pool, or remove pools.${pool}.sharing` };
      continue;
    }
    const machine = machineIn(context, pool);
    if (machine && beta9GpuType(machine.gpu?.model ?? "") === undefined) {
      yield {
        path,
        value: pool,
        allowed: `a pool with NVIDIA GPUs that Beta9 has a name for; this one has ${machine.gpu?.model ?? "no GPU"}`,
        fix: "name another pool",
      };
    }
  }
};

function machineIn({ sections }: RuleContext<Own>, pool: string | undefined): MachineShape | undefined {
  return pool === undefined ? undefined : knownMachine(sections.pools?.[pool]);
}

/** The MinIO of the model store, where there is one. */
export const beta9StoreIsThere: Rule<Own> = function* ({ sections: { beta9, storage } }) {
  const isThere = storage === undefined || storage.backend === "minio";
  if (beta9 && !isThere && new URL(beta9.s3.endpoint).hostname === MODEL_STORE_HOST) {
    yield {
      path: ["beta9", "s3", "endpoint"],
      value: beta9.s3.endpoint,
      allowed: "another S3 server: storage.backend puts no model store into the cluster",
      fix: "name the endpoint of your object storage, or remove storage.backend",
    };
  }
};

import { resolve } from "node:path";
import type { GivenOutput } from "../../offline/environment";
import { CLUSTER_OUTPUT } from "../../stacks/cluster-outputs";
import { readTextFile } from "../../stacks/config";
import { lineOf } from "../io";
import type { OpenedEnvironment, Problem } from "../read-environment";

/** Outputs of the cluster's stack, from a file. */
export function readOutputs(file: string, { file: { environment } }: OpenedEnvironment): GivenOutput | Problem {
  const { provision } = environment.cluster;
  if (provision === "existing") {
    return { problem: "--outputs FILE: with cluster.provision: existing no stack made the cluster; leave it out" };
  }
  try {
    const outputs: unknown = JSON.parse(readTextFile(resolve(file)));
    if (typeof outputs !== "object" || outputs === null || Array.isArray(outputs)) {
      return { problem: `${file} holds no outputs: it must be what "pulumi stack output --json" prints` };
    }
    return { said: file, value: (outputs as Readonly<Record<string, unknown>>)[CLUSTER_OUTPUT] };
  } catch (error) {
    return { problem: `cannot read the outputs in ${file}: ${lineOf(error)}` };
  }
}

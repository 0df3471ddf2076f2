import * as pulumi from "@pulumi/pulumi";
import { askAwsCapacity } from "../components/cluster/eks/capacity-check";
import { askAwsDeployer } from "../components/cluster/eks/deployer";
import { eksProvider } from "../components/cluster/eks/provider";
import { askOciCapacity } from "../components/cluster/oke/capacity-check";
import { projectRoot } from "../names/project-root";
import { otherMachines } from "../planner/other-machines";
import { upgradeChartDefinitions } from "./chart-definitions/hook";
import { chartFiles, chartPins } from "./chart-files";
import { checkCloudCapacity } from "./cloud-capacity";
import { loadEnvironment, secretTexts } from "./config/load";
import { checkDeployer } from "./deployer";
import { eksSettings } from "./eks-settings";
import { leaveFolder } from "./gitops/leave-folder";
import { explainNodeErrors } from "./node-errors/hook";
import { assertDeployable, createPlatform, isUserMistake, planEnvironment, readRequest } from "./program";
import { assertReceiversHaveSecrets } from "./receiver-secrets";
import { assertReceiversAreReached } from "./receiver-urls";
import { takeNoSdkTraces } from "./sdk-traces";
import { surroundingsOf } from "./surroundings";
import { whole } from "./whole-program";

/** Config, plan, resources. Returns the stack's outputs. */
async function main(): Promise<object> {
  try {
    const loaded = loadEnvironment();
    const plan = await planEnvironment(pulumi.getStack(), loaded, projectRoot());
    assertDeployable(plan);
    assertReceiversHaveSecrets(loaded);
    assertReceiversAreReached(loaded.environment, secretTexts());
    const { cluster, pools } = loaded.environment;
    const eks = cluster.kind === "aws" ? eksSettings(cluster, plan) : undefined;
    const awsProvider = eks && eksProvider(eks);
    const questions = { oci: askOciCapacity, aws: awsProvider && askAwsCapacity(awsProvider) };
    const notes = [
      ...(await checkDeployer(loaded, awsProvider && askAwsDeployer(awsProvider))),
      ...(await checkCloudCapacity({ ...loaded, plan }, questions)),
    ];
    for (const note of notes) {
      await pulumi.log.warn(note);
    }
    await leaveFolder(loaded.environment);
    const charts = await chartFiles(loaded.environment, projectRoot());
    await upgradeChartDefinitions(loaded.environment);
    explainNodeErrors(async () => {
      const request = await readRequest(plan.environment, loaded, projectRoot());
      return { kind: cluster.kind, pools, plan, otherMachines: (pool) => otherMachines(request, pool) };
    });
    const platform = await createPlatform(
      { ...loaded, plan, charts, awsProvider, chartPins: chartPins(projectRoot()) },
      surroundingsOf(process.env),
    );
    return platform.stackOutputs;
  } catch (error) {
    // Users' mistakes are messages; others keep their stack trace, as bugs of ours.
    if (isUserMistake(error)) {
      const refusal = new pulumi.RunError(error.message);
      // The SDK colours stack traces, which takes ten seconds in Node 20; this one is useless.
      refusal.stack = undefined;
      throw refusal;
    }
    throw error;
  }
}

/** Entry point of `pulumi up`. */
export function deploy(): Promise<object> {
  takeNoSdkTraces(process.env);
  return whole(main);
}

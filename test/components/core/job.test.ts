import { describe, expect, it } from "vitest";
import { runToCompletion } from "../../../components/core/job";
import { guaranteed } from "../../../components/core/resources";
import { deploy } from "../../harness/deploy";
import { specOf } from "../serving/fixture";

describe("RunToCompletion", () => {
  it("counts a drained or preempted pod as no failed attempt, and has time for all attempts together", async () => {
    const deployment = await deploy(() =>
      runToCompletion("work", {
        namespace: "here",
        app: "copy",
        instance: "copy",
        deadlineSeconds: 900,
        pod: {
          containers: [{ name: "copy", image: "example/copy:1", resources: guaranteed({ cpu: 1, memoryGiB: 1 }) }],
        },
      }),
    );
    expect(specOf(deployment.resource("kubernetes:batch/v1:Job", "work-job"))).toMatchObject({
      backoffLimit: 4,
      activeDeadlineSeconds: 900,
      podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }] },
      // Kubernetes takes a failure policy only with this one.
      template: { spec: { restartPolicy: "Never" } },
    });
  });
});

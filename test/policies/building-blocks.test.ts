import { Bucket } from "@pulumi/aws/s3/bucket";
import { BucketPublicAccessBlock } from "@pulumi/aws/s3/bucketPublicAccessBlock";
import { BucketServerSideEncryptionConfiguration } from "@pulumi/aws/s3/bucketServerSideEncryptionConfiguration";
import { expect, test } from "vitest";
import { IsolatedNamespace } from "../../components/core/isolated-namespace";
import { runToCompletion } from "../../components/core/job";
import { guaranteed, modelResources } from "../../components/core/resources";
import { Workload } from "../../components/core/workload";
import { engineOf } from "../../engines";
import { ANNOTATIONS } from "../../names/labels";
import { evaluatePolicies } from "../../policies/evaluate";
import { deploy } from "../harness/deploy";
import { plan } from "./cases";

test("what components/core builds passes every policy, without a caller doing anything for it", async () => {
  const { recording } = await deploy(() => {
    const { namespace } = new IsolatedNamespace("chat-ns", { namespace: "model-chat" });
    const small = guaranteed({ cpu: 1, memoryGiB: 1 });
    runToCompletion("pull", {
      namespace,
      app: "pull",
      instance: "pull",
      deadlineSeconds: 60,
      pod: {
        containers: [{ name: "pull", image: "docker.io/minio/mc:RELEASE.2025-08-13T08-35-41Z", resources: small }],
      },
    });
    new Workload("chat", {
      namespace,
      app: "vllm",
      instance: "chat",
      ports: [{ name: "http", port: 8000 }],
      podAnnotations: { [ANNOTATIONS.memoryMostGiB]: "20", [ANNOTATIONS.memoryLimitGiB]: "21.5" },
      controller: { kind: "StatefulSet", volumeClaims: [{ metadata: { name: "data" } }] },
      controllerOptions: { protect: true },
      pod: {
        nodeSelector: { "inference-stacks.io/pool": "a10" },
        tolerations: [{ key: "nvidia.com/gpu", value: "present", effect: "NoSchedule" }],
        initContainers: [{ name: "copy", image: "docker.io/minio/mc:RELEASE.2025-08-13T08-35-41Z", resources: small }],
        containers: [
          {
            name: "engine",
            image: "docker.io/vllm/vllm-openai:v0.33.0",
            writablePaths: ["/tmp"],
            resources: modelResources(
              {
                resources: {
                  cpu: 4,
                  memoryGiB: 32,
                  ephemeralStorageGiB: 10,
                  sharedMemoryGiB: 0,
                  gpus: 1,
                  gpuResource: "nvidia.com/gpu",
                },
              },
              engineOf("vllm").sidecar,
            ),
          },
        ],
      },
    });
  });
  const evaluation = evaluatePolicies([...recording.resources, plan()], { project: "inference-stacks", stack: "test" });
  expect(evaluation.violations).toEqual([]);
  expect(evaluation.undecided).toEqual([]);
  expect(evaluation.failed).toBe(0);
});

test("a bucket whose name S3 completes is judged with what configures it", async () => {
  const { recording } = await deploy(() => {
    const { bucket } = new Bucket("models", { bucketPrefix: "models-" }, { protect: true });
    new BucketPublicAccessBlock("private", {
      bucket,
      blockPublicAcls: true,
      blockPublicPolicy: true,
      ignorePublicAcls: true,
      restrictPublicBuckets: true,
    });
    new BucketServerSideEncryptionConfiguration("encrypted", {
      bucket,
      rules: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: "aws:kms", kmsMasterKeyId: "key" } }],
    });
    new Bucket("open", { bucketPrefix: "open-" }, { protect: true });
  });
  const { violations } = evaluatePolicies(recording.resources, { project: "inference-stacks", stack: "test" });
  expect(violations.map(({ policy, resource }) => `${policy} ${resource.split("::").at(-1)}`)).toEqual([
    "encryption-at-rest open",
    "no-public-endpoint open",
  ]);
});

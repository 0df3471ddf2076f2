import { describe, expect, it } from "vitest";
import { leaks } from "./engine/secret-search";
import { FaultedStack, GIVEN_SECRETS, UP } from "./faults/faulted-stack";
import { createdCount, plannedSteps, steps } from "./faults/progress";
import { expectNoLeaks, expectUndisturbed, liveTexts } from "./faults/undisturbed";
import { sharedBySuite } from "./shared-by-suite";

/** Another value for each secret that the stack was given. */
const NEW_SECRETS: Readonly<Record<string, string>> = {
  "inference-stacks:huggingFaceToken": "hf_anotherSecretToken",
  "inference-stacks:alertWebhookUrl": "https://alerts.example.com/another-secret-path",
};
/** Passwords to make anew: of a server, which is rolled; of a client, whom a Job tells the server about. */
const REPLACED = ["platform-store-minio-root-password", "platform-store-key-sync-writer"];

describe("a stack that others work on", { timeout: 600_000 }, () => {
  const stack = sharedBySuite(() => FaultedStack.start());

  it("refuses a second up while the first one runs, which ends as if alone", async () => {
    const first = await stack().begin(UP);
    await first.until((output) => createdCount(output) >= 1);
    // The file backend's attributes are not written at once: who reads meanwhile finds an empty file.
    let second = await stack().run(UP);
    while (second.output.includes("failed to load checkpoint: EOF")) {
      second = await stack().run(UP);
    }
    expect(second.status).not.toBe(0);
    expect(second.output).toContain("the stack is currently locked by 1 lock(s)");
    const { status, output } = await first.finished;
    expect(status, output).toBe(0);
    await expectUndisturbed(stack());
  });

  it("changes what holds a rotated secret, and whoever read it at its start, and nothing else", async () => {
    const before = [...Object.values(GIVEN_SECRETS), ...(await stack().passwords())];
    const values = Object.entries(NEW_SECRETS).flatMap(([key, value]) => ["--secret", `${key}=${value}`]);
    await stack().must(["config", "set-all", ...values]);
    const passwords = await stack().urnsOf(REPLACED);
    const replaced = passwords.flatMap((urn) => ["--replace", urn]);
    // Who reviews the preview sees the restarts.
    const preview = await stack().must(["preview", ...replaced]);
    const { output } = await stack().must([...UP, ...replaced]);
    expect(plannedSteps(preview.output)).toEqual(steps(output));
    expect(steps(output)).toEqual([
      "replaced Job platform-store-setup-provision-job",
      "replaced RandomPassword platform-store-key-sync-writer",
      "replaced RandomPassword platform-store-minio-root-password",
      "updated Secret platform-observability-metrics-alertmanager-config",
      "updated Secret platform-store-hugging-face",
      "updated Secret platform-store-minio-root",
      "updated Secret platform-store-setup-users",
      "updated Secret platform-store-sync-keys",
      "updated StatefulSet platform-store-minio-server-statefulset",
    ]);

    const now = [...Object.values(NEW_SECRETS), ...(await stack().passwords())];
    const gone = before.filter((secret) => !now.includes(secret));
    expect(gone).toHaveLength(Object.keys(NEW_SECRETS).length + REPLACED.length);
    expect(leaks(await liveTexts(stack()), gone)).toEqual([]);
    await expectNoLeaks(stack(), [...gone, ...now]);
    await stack().must([...UP, "--expect-no-changes"]);
  });

  it("restarts nothing where somebody else has touched a Secret and not its content", async () => {
    const { client } = stack().surroundings.plane;
    const secrets = (await client.list("v1", "Secret")).filter(({ metadata }) => metadata.name === "minio-root");
    expect(secrets).toHaveLength(1);
    for (const secret of secrets) {
      // As an operator does who has all Secrets written anew with another key.
      await client.patch(secret, { metadata: { annotations: { "encryption-key-rotation-time": "2026-11-28" } } });
    }
    const { output } = await stack().must([...UP, "--refresh"]);
    expect(steps(output).filter((step) => /StatefulSet|Deployment|Job/.test(step))).toEqual([]);
  });
});

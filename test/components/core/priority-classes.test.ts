import { expect, it } from "vitest";
import { PRIORITY, priorityClasses } from "../../../components/core/priority-classes";
import { deploy } from "../../harness/deploy";

it("what every request passes through stands above models, and these above what can run again, which drives out nobody", async () => {
  const classes = (await deploy(() => priorityClasses("priority", {}))).ofType(
    "kubernetes:scheduling.k8s.io/v1:PriorityClass",
  );
  const facts = classes.map(({ inputs }) => inputs as { value: number; preemptionPolicy?: string });
  expect(facts.map(({ value, preemptionPolicy }) => [value, preemptionPolicy])).toEqual([
    [PRIORITY.platform.value, undefined],
    [PRIORITY.serving.value, undefined],
    [PRIORITY.batch.value, "Never"],
  ]);
  expect(PRIORITY.platform.value).toBeGreaterThan(PRIORITY.serving.value);
  expect(PRIORITY.serving.value).toBeGreaterThan(PRIORITY.batch.value);
});

import fc from "fast-check";
import { expect, it } from "vitest";
import { AFFINITIES, sessionsOf } from "../../planner/affinity";

const affinity = fc.constantFrom(...AFFINITIES);

it("is what a model says, else what the gateway says, and nothing where that is none", () => {
  fc.assert(
    fc.property(
      affinity,
      fc.dictionary(fc.string(), fc.record({ affinity: fc.option(affinity, { nil: undefined }) })),
      (everywhere, models) => {
        const sessions = sessionsOf(everywhere, models);
        for (const [name, model] of Object.entries(models)) {
          expect(sessions.get(name) ?? "none").toBe(model.affinity ?? everywhere);
        }
        expect(sessions.size).toBeLessThanOrEqual(Object.keys(models).length);
      },
    ),
  );
});

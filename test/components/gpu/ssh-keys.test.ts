import { describe, expect, it } from "vitest";
import { trialKeys } from "../../../components/gpu/ssh-keys";

const SECRET = "x".repeat(47);

describe("keys of a trial", () => {
  it("are the same for one secret, and others for another", () => {
    expect(trialKeys(SECRET)).toEqual(trialKeys(SECRET));
    expect(trialKeys(SECRET).client).not.toBe(trialKeys(`${SECRET}a`).client);
  });
});

import { expect, it } from "vitest";
import { answerOfHost } from "../../offline/host-answers";

it.each(["", "ls", "sh -s k3s", "sh -s k3s remove", "echo; sh -s k3s install", "sh -s k3s install; ls"])(
  "no answer is made up for %j on a machine",
  (create) => {
    expect(() => answerOfHost({ create })).toThrow("the offline run has no answer for the command");
  },
);

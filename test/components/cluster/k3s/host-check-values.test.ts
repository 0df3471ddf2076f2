import { describe, expect, it } from "vitest";
import { hostCheckValues } from "../../../../components/cluster/k3s/host-checks";
import { settings } from "./fixture";

const BUNDLE = { here: "/srv/bundle", onHost: "/media/usb/bundle", sha256: "a".repeat(64), archives: [] };

describe("a machine with a bundle", () => {
  it.each([
    [{}, "rsync --archive --delete /srv/bundle/ ops@gpu-box.example.internal:/media/usb/bundle/"],
    [
      { port: 2222 },
      "rsync --archive --delete -e 'ssh -p 2222' /srv/bundle/ ops@gpu-box.example.internal:/media/usb/bundle/",
    ],
    [{ address: "fd00::5" }, "rsync --archive --delete /srv/bundle/ ops@[fd00::5]:/media/usb/bundle/"],
  ])("is told which one it must have, and how it gets there: %o", (host, copy) => {
    const given = settings({ bundle: BUNDLE });
    expect(hostCheckValues({ ...given, host: { ...given.host, ...host } })).toMatchObject({
      BUNDLE: "/media/usb/bundle",
      BUNDLE_SHA256: BUNDLE.sha256,
      BUNDLE_COPY: copy,
    });
  });

  it("is told of none where everything comes from the internet", () => {
    expect(hostCheckValues(settings())).toMatchObject({ BUNDLE: "", BUNDLE_SHA256: "", BUNDLE_COPY: "" });
  });
});

import type { PoolPlan } from "../../../../planner/types";
import { type BootPart, bootFile, bootScript, bootText } from "./boot-part";

const UNIT = "inference-stacks-local-disks.service";
const NOTHING: BootPart = { files: [], commands: [] };

/** Local disk setup, before and after joining. */
export interface LocalDisksParts {
  readonly before: BootPart;
  readonly after: BootPart;
}

/**
 * Puts the kubelet's folder on the local disks. At the first boot this runs before the machine
 * joins; a unit runs it later. Files that joining writes there are kept for later boots.
 */
export function localDisksParts({ localDisks }: Pick<PoolPlan, "localDisks">): LocalDisksParts {
  if (!localDisks) {
    return { before: NOTHING, after: NOTHING };
  }
  const script = bootScript("local-disks.sh");
  const unit = bootFile(`/etc/systemd/system/${UNIT}`, bootText("local-disks.service"));
  return {
    before: {
      files: [script, unit],
      commands: [
        ["systemctl", "daemon-reload"],
        ["systemctl", "enable", "--now", UNIT],
      ],
    },
    after: { files: [], commands: [["bash", script.path, "keep"]] },
  };
}

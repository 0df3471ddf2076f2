// What Pulumi starts (Pulumi.yaml): stacks/index.ts as one file.
const { requiredBundle } = require("../launch/required.cjs");

module.exports = () => requiredBundle("program")();

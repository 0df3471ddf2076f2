// What Pulumi starts (package.json): policies/index.ts as one file.
const { requiredBundle } = require("../launch/required.cjs");

requiredBundle("policies");

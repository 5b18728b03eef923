/** What is different about each engine: how its model calls its tools, and what it can't do. */
const FIRST = '# Plan\n\n- First step\n- Second step';
const overloaded = { status: 529, type: 'overloaded_error', message: 'Overloaded' };
const openAi = {
  limit: { status: 429, type: 'insufficient_quota', message: 'You exceeded your current quota, check your billing.' },
  overload: { status: 503, type: 'server_error', message: 'Service Unavailable' },
  auth: { status: 401, type: 'invalid_api_key', message: 'Incorrect API key provided.' },
  full: {
    status: 400,
    type: 'context_length_exceeded',
    message: "This model's maximum context length is 100000 tokens. However, your messages resulted in 120000 tokens.",
  },
};
const choice = { label: 'Blue', description: 'Blue' };
const options = [choice, { label: 'Red', description: 'Red' }];

export const ENGINES = {
  claude: {
    name: 'Claude',
    package: '@agentclientprotocol/claude-agent-acp',
    process: /claude-agent-acp/,
    presets: 4,
    batches: true,
    plan: () => [{ tool: 'ExitPlanMode', input: { plan: FIRST } }],
    question: {
      tool: 'AskUserQuestion',
      input: { questions: [{ question: 'Which color?', header: 'Color', multiSelect: false, options }] },
    },
    limit: {
      fail: {
        status: 429,
        type: 'rate_limit_error',
        message: "You've hit your usage limit.",
        headers: { 'x-should-retry': 'false', 'anthropic-ratelimit-unified-status': 'rejected' },
      },
    },
    overload: overloaded,
    auth: {
      status: 401,
      type: 'authentication_error',
      message: 'invalid x-api-key',
      headers: { 'x-should-retry': 'false' },
    },
    full: {
      status: 400,
      type: 'invalid_request_error',
      message: 'prompt is too long: 210000 tokens > 200000 maximum',
    },
    strict: true,
    greet: (name) => ({ tool: `mcp__${name}__greet` }),
    effort: (body) => body.output_config?.effort ?? body.thinking?.effort,
  },
  codex: {
    name: 'Codex',
    package: '@agentclientprotocol/codex-acp',
    process: /codex-acp/,
    batches: true,
    plan: () => [{ say: `<proposed_plan>\n${FIRST}\n</proposed_plan>` }],
    question: 'Asks only while it plans',
    ...openAi,
    limit: {
      fail: {
        status: 429,
        type: 'usage_limit_reached',
        message: 'The usage limit has been reached',
        plan_type: 'plus',
      },
    },
    greet: (name) => ({ tool: 'greet', namespace: `mcp__${name}` }),
    effort: (body) => body.reasoning?.effort,
  },
  opencode: {
    name: 'OpenCode',
    package: 'opencode-ai',
    process: /opencode(\.exe)? acp/,
    // Its tools for both, `plan_exit` and `question`, aren't offered to models over the protocol.
    plan: 'Plans without asking for approval',
    question: 'Asks only in text',
    ...openAi,
    // It tries again without a word if the status is 429.
    limit: { fail: { ...openAi.limit, status: 402 } },
    limitNote: 'Only with status 402: it retries 429 silently',
    // Without them it first waits for addresses that it can't reach.
    variables: { OPENCODE_DISABLE_DEFAULT_PLUGINS: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    greet: (name) => ({ tool: `${name}_greet` }),
  },
  gemini: {
    name: 'Gemini',
    package: '@google/gemini-cli',
    process: /gemini.* --acp/,
    plan: () => [
      (body) => ({ write: [`${/[^\s`"]+\/plans\b/.exec(body)[0]}/plan.md`, FIRST] }),
      { tool: 'exit_plan_mode', input: { plan_filename: 'plan.md' } },
    ],
    planNote: 'The request names a file; the plan is in the transcript',
    commitNote: 'With a user name in the repository: it ignores ~/.gitconfig',
    // Its tool `ask_user` isn't offered to models over the protocol.
    question: 'Asks only in text',
    limit: {
      fail: {
        status: 429,
        type: 'RESOURCE_EXHAUSTED',
        message: 'You exceeded your current quota, please check your plan and billing details.',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
            violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel' }],
          },
        ],
      },
    },
    overload: { status: 503, type: 'UNAVAILABLE', message: 'The model is overloaded.' },
    auth: { status: 401, type: 'UNAUTHENTICATED', message: 'API key not valid.' },
    full: {
      status: 400,
      type: 'INVALID_ARGUMENT',
      message: 'The input token count exceeds the maximum number of tokens allowed (1048576). context window',
    },
    greet: (name) => ({ tool: `mcp_${name}_greet` }),
  },
  practice: {
    name: 'Practice',
    process: /practice/,
    presets: 4,
    plan: () => [{ plan: ['First step', 'Second step'] }],
    question: { ask: 'Which color?' },
    limit: { fail: 'limit' },
    overload: 'overload',
    auth: 'auth',
    full: 'context',
  },
};

/** The same steps for the practice engine, which needs no model. */
export function practiceScript(steps) {
  const words = (step) => {
    if (step.fail) return `fail ${step.fail}`;
    if (step.hang) return 'fail silence';
    if (step.write) return `write ${step.write.join(' ')}`;
    if (step.run) return `run ${step.run.replaceAll(';', '\\;')}`;
    if (step.plan) return `plan ${step.plan.join('|')}`;
    return step.ask ? `ask ${step.ask}` : `say ${step.say}`;
  };
  return `practice: ${steps.map(words).join('; ')}`;
}

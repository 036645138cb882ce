/** Flags that depend on flags. */
import { EVERYBODY, NOBODY, ofFlag, person, set, sets, variants, type Scenario } from './scenario.ts';

const GRAPH = 'posthog/rust/feature-flags/src/utils/graph_utils.rs';
const FLAGS = 'posthog/rust/feature-flags/src/flags/flag_matching.rs';
const DOCS = 'posthog.com/contents/docs/feature-flags/dependencies.mdx';

const leaf = (value: boolean | string, key = 'base') => ({ key: 'leaf', filters: sets(set(ofFlag(key, value))) });
const base = { key: 'base', filters: EVERYBODY };
const off = { key: 'base', filters: NOBODY };
/** red for ada. */
const split = { key: 'split', filters: { ...EVERYBODY, ...variants('red', 'blue') } };
const missing = (value = false): Scenario['expected'] => ({
  values: { leaf: value },
  reasons: { leaf: ['missing_dependency', null] },
});

export const dependencies: Scenario[] = [
  {
    what: 'a flag that needs another is on when that is on',
    source: DOCS,
    flags: [base, leaf(true)],
    expected: { values: { base: true, leaf: true } },
  },
  {
    what: 'it is off when that is off',
    source: DOCS,
    flags: [off, leaf(true)],
    expected: { values: { base: false, leaf: false }, reasons: { leaf: ['no_condition_match', 0] } },
  },
  {
    what: 'a flag may need that another is off',
    source: FLAGS,
    flags: [off, leaf(false)],
    expected: { values: { base: false, leaf: true } },
  },
  {
    what: 'what is on is not off',
    source: FLAGS,
    flags: [base, leaf(false)],
    expected: { values: { base: true, leaf: false } },
  },
  {
    what: 'any variant is on',
    source: FLAGS,
    flags: [split, leaf(true, 'split')],
    expected: { values: { leaf: true, split: 'red' } },
  },
  {
    what: 'a flag may need a variant of another',
    source: DOCS,
    flags: [split, leaf('red', 'split')],
    expected: { values: { leaf: true, split: 'red' } },
  },
  {
    what: 'another variant is not enough',
    source: DOCS,
    flags: [split, leaf('blue', 'split')],
    expected: { values: { leaf: false, split: 'red' } },
  },
  {
    what: 'variants are told by their very names',
    source: FLAGS,
    flags: [split, leaf('Red', 'split')],
    expected: { values: { leaf: false, split: 'red' } },
  },
  {
    what: 'a flag may need several',
    source: GRAPH,
    flags: [base, split, { key: 'leaf', filters: sets(set(ofFlag('base', true), ofFlag('split', 'blue'))) }],
    expected: { values: { base: true, leaf: false, split: 'red' } },
  },
  {
    what: 'a chain is decided from its end',
    source: GRAPH,
    flags: [leaf(true, 'middle'), { key: 'middle', filters: sets(set(ofFlag('base', true))) }, base],
    expected: { values: { base: true, leaf: true, middle: true } },
  },
  {
    what: 'a flag may need another and something of the person',
    source: DOCS,
    flags: [base, { key: 'leaf', filters: sets(set(ofFlag('base', true), person('plan', 'pro'))) }],
    request: { person_properties: { plan: 'pro' } },
    expected: { values: { base: true, leaf: true } },
  },
  {
    what: 'what a flag needs is decided, though only the flag is asked for',
    source: GRAPH,
    flags: [base, leaf(true)],
    request: { flag_keys: ['leaf'] },
    expected: { values: { leaf: true } },
  },
  {
    what: 'a flag that needs one of servers is off for clients, which do not get that',
    source: GRAPH,
    flags: [{ ...base, evaluation_runtime: 'server' }, leaf(true)],
    request: { evaluation_runtime: 'client' },
    expected: { values: { leaf: false } },
  },
  {
    what: 'a flag that needs one that is not there is off',
    source: GRAPH,
    flags: [leaf(true, 'gone')],
    expected: missing(),
  },
  {
    what: 'a flag that needs itself is off',
    source: GRAPH,
    flags: [{ key: 'leaf', filters: sets(set(ofFlag('leaf', true))) }],
    expected: missing(),
  },
  {
    what: 'flags that need each other are off',
    source: GRAPH,
    flags: [leaf(true, 'twin'), { key: 'twin', filters: sets(set(ofFlag('leaf', true))) }],
    expected: { values: { leaf: false, twin: false }, reasons: { leaf: ['missing_dependency', null] } },
  },
  {
    what: 'a flag that needs one that is not active is off',
    source: FLAGS,
    flags: [{ ...base, active: false }, leaf(true)],
    expected: { values: { leaf: false } },
  },
];

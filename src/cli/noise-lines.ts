import { type NoisyPlace, PROPOSAL_REFUSALS, type Proposal, type RefusedProposal } from '../core/proposals.ts'
import { escapeText } from '../report/escape.ts'

const TOKEN_LENGTH_MAX = 60
const STABLE_SHOWN_MAX = 10

/** A place of noise on one line: `steps[1]:$.n (counter: 1, then 2)`. */
export function placeText({ path, kind, first, second }: NoisyPlace): string {
  return `${escapeText(path)} (${kind}: ${tokenText(first)}, then ${tokenText(second)})`
}

function tokenText(token: string | null): string {
  if (token === null) return 'nothing'
  const text = escapeText(token)
  return text.length > TOKEN_LENGTH_MAX ? `${text.slice(0, TOKEN_LENGTH_MAX)}…` : text
}

/** The proposals of a feature, and what is too broad to be one; each rule once. */
export function proposalLines(
  feature: string,
  o: { readonly proposals: readonly Proposal[]; readonly refused: readonly RefusedProposal[] },
): readonly string[] {
  const proposed = new Map(o.proposals.map(one => [one.rule, `${one.rule}  ${placeText(one)}: ${one.why}`]))
  const broad = new Map(o.refused.map(one => [one.rule, `${one.rule}  ${placeText(one)}: ${refusalText(one)}`]))
  return [
    ...[...proposed.values()].map(line => `Proposed for tolerance/${feature}.yaml: ${line}`),
    ...[...broad.values()].map(line => `Too broad to propose: ${line}`),
  ]
}

function refusalText({ code, stable }: RefusedProposal): string {
  const shown = stable.slice(0, STABLE_SHOWN_MAX)
  if (stable.length > shown.length) shown.push(`${stable.length - shown.length} more`)
  const places = shown.length === 0 ? '' : `: ${shown.map(escapeText).join(', ')}`
  return `${code}: ${PROPOSAL_REFUSALS[code]}${places}`
}

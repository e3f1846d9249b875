import { DEFAULT_ENVIRONMENT, jsonpath } from 'json-p3'
import { compareCodePoints } from './canonical.ts'
import { compareDecimals, equalDecimals } from './decimal.ts'
import { isObject, type Json, type JsonObject, type MemberList, membersOf } from './json.ts'
import { evaluate } from './query.ts'
import { numberText, typeOf } from './scalars.ts'

const { BooleanLiteral, FilterQuery, FunctionExtension, InfixExpression, LogicalExpression } = jsonpath.expressions
const { NullLiteral, NumberLiteral, PrefixExpression, RootQuery, StringLiteral } = jsonpath.expressions

type Expression = InstanceType<typeof LogicalExpression>['expression']

/** What an operand of a comparison is: a value, or a number as its text. */
type Operand = { readonly value: Json } | { readonly number: string }

/** Whether a filter holds for a node. Source: RFC 9535 section 2.3.5.2. */
export function holds(expression: Expression, node: Json, root: Json): boolean {
  if (expression instanceof LogicalExpression) return holds(expression.expression, node, root)
  if (expression instanceof PrefixExpression) return !holds(expression.right, node, root)
  if (expression instanceof FilterQuery) return nodesOf(expression, node, root).length > 0
  if (expression instanceof FunctionExtension) return matches(expression, node, root)
  if (!(expression instanceof InfixExpression)) return false
  const { left, operator, right } = expression
  if (operator === '&&') return holds(left, node, root) && holds(right, node, root)
  if (operator === '||') return holds(left, node, root) || holds(right, node, root)
  return compares(operandOf(left, node, root), operator, operandOf(right, node, root))
}

function nodesOf(query: InstanceType<typeof FilterQuery>, node: Json, root: Json): Json[] {
  const value = query instanceof RootQuery ? root : node
  return evaluate(query.path.segments, { value, name: null, above: null }, root).map(reached => reached.value)
}

/** The value of an operand; null when it is Nothing. */
function operandOf(expression: Expression, node: Json, root: Json): Operand | null {
  if (expression instanceof NumberLiteral) return { number: expression.token.value }
  if (expression instanceof StringLiteral || expression instanceof BooleanLiteral) return { value: expression.value }
  if (expression instanceof NullLiteral) return { value: null }
  if (expression instanceof FilterQuery) return only(nodesOf(expression, node, root))
  return expression instanceof FunctionExtension ? called(expression, node, root) : null
}

function only([first, ...others]: readonly Json[]): Operand | null {
  return first === undefined || others.length > 0 ? null : { value: first }
}

/** `length`, `count` and `value`. Source: RFC 9535 sections 2.4.4, 2.4.5 and 2.4.8. */
function called({ name, args }: InstanceType<typeof FunctionExtension>, node: Json, root: Json): Operand | null {
  const [argument] = args
  if (argument === undefined) return null
  if (name === 'length') return lengthOf(operandOf(argument, node, root))
  if (!(argument instanceof FilterQuery)) return null
  const nodes = nodesOf(argument, node, root)
  if (name === 'count') return { number: String(nodes.length) }
  return name === 'value' ? only(nodes) : null
}

function lengthOf(operand: Operand | null): Operand | null {
  if (operand === null || 'number' in operand) return null
  const { value } = operand
  if (typeof value === 'string') return { number: String([...value].length) }
  if (Array.isArray(value)) return { number: String(value.length) }
  return isObject(value) ? { number: String(membersOf(value).length) } : null
}

/** `match` and `search`, by the I-Regexp of json-p3. Source: RFC 9535 sections 2.4.6 and 2.4.7; RFC 9485. */
function matches({ name, args }: InstanceType<typeof FunctionExtension>, node: Json, root: Json): boolean {
  const [text, pattern] = args.map(argument => operandOf(argument, node, root))
  if (!text || !pattern || !('value' in text) || !('value' in pattern)) return false
  if (typeof text.value !== 'string' || typeof pattern.value !== 'string') return false
  return DEFAULT_ENVIRONMENT.functionRegister.get(name)?.call(text.value, pattern.value) === true
}

function compares(left: Operand | null, operator: string, right: Operand | null): boolean {
  switch (operator) {
    case '==':
      return same(left, right)
    case '!=':
      return !same(left, right)
    case '<':
      return less(left, right)
    case '>':
      return less(right, left)
    case '<=':
      return less(left, right) || same(left, right)
    default:
      return less(right, left) || same(left, right)
  }
}

/** The text of an operand that is a number; empty for any other. */
function textOfNumber(operand: Operand): string {
  return 'number' in operand ? operand.number : numberText(operand.value)
}

function less(left: Operand | null, right: Operand | null): boolean {
  if (left === null || right === null) return false
  const [x, y] = [textOfNumber(left), textOfNumber(right)]
  if (x !== '' && y !== '') return compareDecimals(x, y) < 0
  if ('number' in left || 'number' in right) return false
  if (typeof left.value !== 'string' || typeof right.value !== 'string') return false
  return compareCodePoints(left.value, right.value) < 0
}

function same(left: Operand | null, right: Operand | null): boolean {
  if (left === null || right === null) return left === right
  const [x, y] = [textOfNumber(left), textOfNumber(right)]
  if (x !== '' || y !== '') return x !== '' && y !== '' && equalDecimals(x, y)
  return 'value' in left && 'value' in right && equalValues(left.value, right.value)
}

/** Whether two values are the same JSON value: numbers as decimals, objects in any order. Iterative. */
function equalValues(left: Json, right: Json): boolean {
  const pairs: [Json, Json][] = [[left, right]]
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [x, y] = pair
    if (typeOf(x) !== typeOf(y)) return false
    if (Array.isArray(x) && Array.isArray(y)) {
      if (x.length !== y.length) return false
      for (const [at, item] of x.entries()) pairs.push([item, y[at]])
    } else if (isObject(x) && isObject(y)) {
      const [ours, theirs] = [lastMembers(x), lastMembers(y)]
      if (ours.size !== theirs.size) return false
      for (const [name, member] of ours) {
        const other = theirs.get(name)
        if (other === undefined) return false
        pairs.push([member, other])
      }
    } else if (typeOf(x) === 'number') {
      if (!equalDecimals(numberText(x), numberText(y))) return false
    } else if (x !== y) return false
  }
  return true
}

function lastMembers(value: JsonObject | MemberList): Map<string, Json> {
  return new Map(membersOf(value))
}

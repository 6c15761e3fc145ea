/** Words for people that stand in scripts instead of the catalogue. */
import ts from 'typescript'

/** Two words, a word with a capital or in capitals, or a sentence: what no id, class, key or selector of ours looks like. */
const WORDS =
  /(^|[^\w.-])[A-Z]?[a-z]{2,}[,:;]? +[A-Za-z]{2,}|^[A-Z][a-z]{2,}[.:…]?$|[a-z]{2,}[.!?…]$|^[A-Z]{2,}(?: [A-Z]{2,})*$|^ | $/
const LETTERS = /[A-Za-z]{2,}/
/** Calls whose first argument is in the list of texts, or is a selector or the name of an event, never shown. */
const NAMES_CALLED = new Set(
  't around labelsOf invoke querySelector querySelectorAll closest matches addEventListener removeEventListener getPropertyValue setProperty dispatch'.split(
    ' ',
  ),
)

/** A branch of a conditional, a value of a table or of plural forms: what holds it decides. */
const isPart = (node: ts.Node, parent: ts.Node): boolean =>
  (ts.isConditionalExpression(parent) && parent.condition !== node) ||
  (ts.isPropertyAssignment(parent) && parent.initializer === node) ||
  ts.isObjectLiteralExpression(parent) ||
  ts.isParenthesizedExpression(parent) ||
  ts.isAsExpression(parent) ||
  ts.isSatisfiesExpression(parent)

function isNamed(node: ts.Node): boolean {
  const { parent } = node
  if (isPart(node, parent)) return isListed(parent)
  if (ts.isCallExpression(parent)) {
    const { expression } = parent
    const name = ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText()
    return NAMES_CALLED.has(name) && parent.arguments[0] === node
  }
  // What is compared, looked up or is the name of a property is an id.
  if (ts.isBinaryExpression(parent)) return /^(===|!==|in)$/.test(parent.operatorToken.getText())
  return ts.isCaseClause(parent) || ts.isElementAccessExpression(parent) || ts.isPropertyAssignment(parent)
    ? parent.getChildAt(0) === node || ts.isCaseClause(parent) || ts.isElementAccessExpression(parent)
    : false
}

/** Whether an expression is the text of a call, or a constant that such a call names. */
function isListed(node: ts.Node): boolean {
  const { parent } = node
  if (isPart(node, parent)) return isListed(parent)
  if (ts.isCallExpression(parent) && parent.arguments[0] === node)
    return (
      /^(t|around|labelsOf)$/.test(parent.expression.getText()) ||
      (/^\$derived$/.test(parent.expression.getText()) && isListed(parent))
    )
  return (
    ts.isVariableDeclaration(parent) &&
    new RegExp(`\\b(t|around|labelsOf)\\(${parent.name.getText()}\\b`).test(node.getSourceFile().text)
  )
}

/** Every literal of a script that reads as words; what a template says around its values counts as one. */
export function scriptTexts(source: string): readonly string[] {
  const file = ts.createSourceFile('script.ts', source, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return
    // Errors that are thrown are for us: a window shows sentences of failures.
    if (ts.isThrowStatement(node)) return
    if (ts.isStringLiteralLike(node)) {
      if (WORDS.test(node.text) && LETTERS.test(node.text) && !isNamed(node)) found.push(node.text)
    } else if (ts.isTemplateExpression(node) && !isNamed(node)) {
      const said = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('{}')
      if (LETTERS.test(said) && (WORDS.test(said) || / [a-z]{1,3}\b/i.test(said))) found.push(said)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

/** The script of a component. */
export const scriptOf = (component: string): string =>
  [...component.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, script]) => script).join('\n')

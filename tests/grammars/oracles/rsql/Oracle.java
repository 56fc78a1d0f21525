// SPDX-License-Identifier: MIT
import cz.jirutka.rsql.parser.ParseException;
import cz.jirutka.rsql.parser.RSQLParser;
import cz.jirutka.rsql.parser.RSQLParserException;
import cz.jirutka.rsql.parser.ast.ComparisonNode;
import cz.jirutka.rsql.parser.ast.LogicalNode;
import cz.jirutka.rsql.parser.ast.Node;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reads RSQL filters by rsql-parser, one a line of standard input; the texts are JSON.
 *
 * <pre>
 * answer parse "a==1"      ok {"tree": ...}, or ok {"position": 2} if a filter is refused
 * time 100 parse "a==1"    ok NANOSECONDS, for all 100
 * </pre>
 */
public final class Oracle {
    private static final Pattern LINE =
            Pattern.compile("(?:answer|time (?<repetitions>[0-9]+)) parse \"(?<text>.*)\"");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u(?<unit>[0-9a-f]{4})|(?<byte>.))");
    private static final Pattern PLACE = Pattern.compile("column (?<column>[0-9]+)");
    private static final RSQLParser PARSER = new RSQLParser();

    private static String unescaped(String json) {
        return ESCAPE.matcher(json).replaceAll(escape -> Matcher.quoteReplacement(character(escape.group())));
    }

    private static String character(String escape) {
        return switch (escape.charAt(1)) {
            case 'u' -> String.valueOf((char) Integer.parseInt(escape.substring(2), 16));
            case 'n' -> "\n";
            case 't' -> "\t";
            case 'r' -> "\r";
            case 'b' -> "\b";
            case 'f' -> "\f";
            default -> escape.substring(1);
        };
    }

    private static String quoted(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (char unit : text.toCharArray()) {
            boolean isPlain = unit >= ' ' && unit < 0x7F && unit != '"' && unit != '\\';
            json.append(isPlain ? String.valueOf(unit) : String.format("\\u%04x", (int) unit));
        }
        return json.append('"').toString();
    }

    /** Returns a filter as CQL2's JSON has them: an operator and its arguments. */
    private static String tree(Node node) {
        String op;
        String args;
        if (node instanceof LogicalNode logical) {
            op = logical.getOperator().name();
            args = logical.getChildren().stream().map(Oracle::tree).collect(Collectors.joining(","));
        } else {
            ComparisonNode comparison = (ComparisonNode) node;
            op = comparison.getOperator().getSymbol();
            args = "{\"property\":" + quoted(comparison.getSelector()) + "}"
                    + comparison.getArguments().stream().map(text -> "," + quoted(text)).collect(Collectors.joining());
        }
        return "{\"op\":" + quoted(op) + ",\"args\":[" + args + "]}";
    }

    private static String answer(String text) {
        try {
            return "{\"tree\":" + tree(PARSER.parse(text)) + "}";
        } catch (RSQLParserException refused) {
            Matcher place = PLACE.matcher(String.valueOf(refused.getMessage()));
            return "{\"position\":" + (place.find() ? Integer.parseInt(place.group("column")) - 1 : 0) + "}";
        }
    }

    private static long time(String text, int repetitions) {
        long begin = System.nanoTime();
        for (int i = 0; i < repetitions; ++i) {
            PARSER.parse(text);
        }
        return System.nanoTime() - begin;
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            Matcher asked = LINE.matcher(line);
            if (!asked.matches()) {
                out.println("error no operation");
                continue;
            }
            String text = unescaped(asked.group("text"));
            String repetitions = asked.group("repetitions");
            out.println("ok " + (repetitions == null ? answer(text) : time(text, Integer.parseInt(repetitions))));
        }
    }
}

package handoff;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** JSON as this package reads and writes it. */
final class Json {
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private Json() {}

    /** The bytes of a value. Throws IllegalArgumentException where it is none of JSON. */
    static byte[] bytes(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException | StackOverflowError error) {
            throw new IllegalArgumentException("This can't be written as JSON: " + error.getMessage(), error);
        }
    }

    /** A value as it is now, to be written later. Throws IllegalArgumentException where it is none of JSON. */
    static RawValue written(Object value) {
        return new RawValue(new String(bytes(value), StandardCharsets.UTF_8));
    }

    /** The value that is told, null where nothing is. Throws IOException where it is no JSON. */
    static JsonNode read(byte[] told) throws IOException {
        return told.length == 0 ? NullNode.instance : MAPPER.readTree(told);
    }

    /** A value as an object of a class. Throws IllegalArgumentException where it is none. */
    static <T> T as(JsonNode value, Class<T> type) {
        return MAPPER.convertValue(value, type);
    }

    /** A field of an object, null of JSON where it has none. */
    static JsonNode field(JsonNode object, String name) {
        JsonNode value = object.get(name);
        return value == null ? NullNode.instance : value;
    }

    /** A text of so many characters at most, without NUL and halves of characters, which can't be stored. */
    static String text(String given, int most) {
        String text = given.replace("\0", "");
        int count = text.codePointCount(0, text.length());
        String kept = count <= most ? text : text.substring(0, text.offsetByCodePoints(0, most));
        return new String(kept.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }
}
